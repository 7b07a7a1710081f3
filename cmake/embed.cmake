# cupel_embed_files(TARGET FOLDER HEADER NAMESPACE FUNCTION): the Python files of src/FOLDER become
# constants of the target, so that a binary needs no file beside it. Defines FUNCTION(), which
# src/HEADER declares in that namespace, as all of them (src/base/embedded.h).
function(cupel_embed_files target folder header namespace function)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${folder}/*.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(rows "")
  foreach(path IN LISTS files)
    get_filename_component(name ${path} NAME)
    file(READ ${path} text)
    string(APPEND rows "    {\"${name}\", R\"python(${text})python\"},\n")
  endforeach()
  set(source ${CMAKE_BINARY_DIR}/generated/${function}_embedded.cpp)
  file(GENERATE OUTPUT ${source} CONTENT
"#include \"${header}\"

namespace ${namespace} {
namespace {
constexpr cupel::EmbeddedFile k_files[] = {
${rows}};
}  // namespace

std::span<const cupel::EmbeddedFile> ${function}() {
  return k_files;
}

}  // namespace ${namespace}
")
  target_sources(${target} PRIVATE ${source})
endfunction()
