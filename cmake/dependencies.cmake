# Every dependency is a Debian 12 / Ubuntu 24.04 package; a missing one is one line that names it.
function(cupel_need header package)
  find_path(CUPEL_HEADER_${package} ${header})
  if(NOT CUPEL_HEADER_${package})
    message(FATAL_ERROR "Cupel needs <${header}>: apt-get install ${package}")
  endif()
endfunction()

cupel_need(CLI/CLI.hpp libcli11-dev)
cupel_need(nlohmann/json.hpp nlohmann-json3-dev)
cupel_need(tl/expected.hpp libexpected-dev)
cupel_need(toml++/toml.h libtomlplusplus-dev)
cupel_need(fmt/format.h libfmt-dev)
cupel_need(spdlog/spdlog.h libspdlog-dev)
cupel_need(SQLiteCpp/SQLiteCpp.h libsqlitecpp-dev)
cupel_need(sqlite3.h libsqlite3-dev)
cupel_need(openssl/evp.h libssl-dev)
cupel_need(curl/curl.h libcurl4-openssl-dev)  # its declarations; the library is loaded when needed

find_package(Threads REQUIRED)
find_library(CUPEL_CRYPTO crypto REQUIRED)
find_library(CUPEL_SQLITECPP NAMES libSQLiteCpp.a REQUIRED)
find_library(CUPEL_SQLITE3 NAMES libsqlite3.a sqlite3 REQUIRED)

# A malformed value's error names the path of the field; every file must agree on the setting.
add_compile_definitions(JSON_DIAGNOSTICS=1)
