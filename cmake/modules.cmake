# cupel_modules_from_layers(FILE): one static library cupel_NAME a line of the layers file, made of
# src/NAME/*.cpp and src/NAME/ROOM/*.cpp, and linked to the modules that the line lets it include.
# A module without sources yet is header-only; one with a CMakeLists.txt of its own builds itself,
# and lends its headers. The include order in the file is thereby also the link order.

# A binary that is to run elsewhere carries fmt within it, which costs each file a second or two to
# compile; else there is the package's library.
set(CUPEL_FMT fmt::fmt)
if(CUPEL_RELOCATABLE)
  set(CUPEL_FMT fmt::fmt-header-only)
endif()
set(CUPEL_LINK_base ${CUPEL_FMT} ${CUPEL_CRYPTO} Threads::Threads)
set(CUPEL_LINK_llm dl)
set(CUPEL_LINK_journal ${CUPEL_SQLITECPP} ${CUPEL_SQLITE3} Threads::Threads dl)
# Copying, comparing and statistics run beside what is measured, and tests repeat them most; the rest
# of the dev preset is built in a third less time (-O1), of the sanitizers' in half (-O0).
set(CUPEL_HOT_MODULES base stats cuda measure judge)
find_package(fmt REQUIRED)

function(cupel_modules_from_layers layers_file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${layers_file})
  file(STRINGS ${layers_file} lines REGEX "^[a-z]+:")
  set(all_modules "")
  set(lends_headers "")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^[a-z]+" module "${line}")
    string(REGEX REPLACE "^[a-z]+: *" "" needs "${line}")
    separate_arguments(needs)
    if(EXISTS ${CMAKE_SOURCE_DIR}/src/${module}/CMakeLists.txt)
      list(APPEND lends_headers ${module})
      continue()
    endif()
    list(REMOVE_ITEM needs ${lends_headers})
    cupel_module(${module} ${needs})
    list(APPEND all_modules cupel_${module})
  endforeach()
  set(CUPEL_MODULES ${all_modules} PARENT_SCOPE)
endfunction()

function(cupel_module module)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${module}/*.cpp
       ${CMAKE_SOURCE_DIR}/src/${module}/*/*.cpp)
  list(TRANSFORM ARGN PREPEND cupel_ OUTPUT_VARIABLE needs)
  if(sources)
    add_library(cupel_${module} STATIC ${sources})
    cupel_in_batches(cupel_${module})
    set(scope PUBLIC)
    if(module IN_LIST CUPEL_HOT_MODULES)
      target_compile_options(cupel_${module} PRIVATE
                             $<$<CONFIG:Release>:-O3> $<$<CONFIG:Debug>:-O1>)
    endif()
  else()
    add_library(cupel_${module} INTERFACE)
    set(scope INTERFACE)
  endif()
  if(module STREQUAL propose)
    cupel_embed_files(cupel_propose propose/seeds/text propose/seeds/seed_files.h cupel::propose
                      seed_files)
  elseif(module STREQUAL rewrite)
    cupel_embed_files(cupel_rewrite rewrite/text rewrite/own_functions.h cupel::rewrite own_function_files)
  elseif(module STREQUAL task)
    cupel_embed_files(cupel_task task/text task/task_files.h cupel::task task_files)
  elseif(module STREQUAL measure)
    cupel_embed_files(cupel_measure measure/jail/text measure/jail/python_files.h cupel::measure python_files)
  endif()
  target_include_directories(cupel_${module} ${scope} ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(cupel_${module} ${scope} ${needs} ${CUPEL_LINK_${module}})
endfunction()
