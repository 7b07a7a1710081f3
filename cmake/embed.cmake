# cupel_embed_seed_files(): the Python in src/propose/seeds/text/ becomes constants of the module, so
# that what makes seeds stays a pure function and a binary needs no file beside it. Defines
# seed_files() of src/propose/seeds/seed_files.h.
function(cupel_embed_seed_files target folder)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(rows "")
  foreach(path IN LISTS files)
    get_filename_component(name ${path} NAME)
    file(READ ${path} text)
    string(APPEND rows "    {\"${name}\", R\"python(${text})python\"},\n")
  endforeach()
  set(source ${CMAKE_BINARY_DIR}/generated/seed_files_embedded.cpp)
  file(GENERATE OUTPUT ${source} CONTENT
"#include \"propose/seeds/seed_files.h\"

namespace cupel::propose {
namespace {
constexpr EmbeddedFile k_seed_files[] = {
${rows}};
}  // namespace

std::span<const EmbeddedFile> seed_files() {
  return k_seed_files;
}

}  // namespace cupel::propose
")
  target_sources(${target} PRIVATE ${source})
endfunction()
