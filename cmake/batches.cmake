# cupel_in_batches(TARGET): its files are compiled in a few batches instead of one by one, in half
# of the time, since headers and what is made of templates are shared. A change of one file compiles
# its batch.
option(CUPEL_BATCHES "compile files in batches" ON)

function(cupel_in_batches target)
  if(NOT CUPEL_BATCHES)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "^${CMAKE_BINARY_DIR}/")
  set(batches ${CMAKE_SOURCE_DIR}/cmake/batches.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${batches} ${sources})
  execute_process(COMMAND python3 ${batches} ${sources} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
                  OUTPUT_VARIABLE rows COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" rows "${rows}")
  foreach(row IN LISTS rows)
    string(REGEX MATCH "^([0-9]+) (.*)$" row "${row}")
    set_source_files_properties(${CMAKE_MATCH_2} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_1})
  endforeach()
  # Some warnings are about the file that the compiler was given, and a batch is none of ours. With
  # sanitizers g++ warns of more than is there.
  set(silent -Wno-subobject-linkage -Wno-shadow)
  if(CUPEL_SANITIZE)
    set(silent -w)
  endif()
  target_compile_options(${target} PRIVATE ${silent})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
