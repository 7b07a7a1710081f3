# What travels to another machine, for `cmake --install`: the tree of a checkout where Python is
# concerned, and the binary in bin/, which finds the libraries that are carried with it through $ORIGIN.
# The component `core` is what the binary needs, and all that a wheel holds; a bundle has the rest too.
set(cupel_no_code PATTERN __pycache__ EXCLUDE PATTERN "*.pyc" EXCLUDE
    PATTERN "*.cpp" EXCLUDE PATTERN "*.h" EXCLUDE PATTERN CMakeLists.txt EXCLUDE)

install(TARGETS cupel RUNTIME DESTINATION bin COMPONENT core)
install(TARGETS cupel_probe LIBRARY DESTINATION bin COMPONENT core)
install(DIRECTORY python DESTINATION . COMPONENT core
  PATTERN __pycache__ EXCLUDE PATTERN "*.pyc" EXCLUDE)
install(DIRECTORY tasks prompts pages DESTINATION . COMPONENT core ${cupel_no_code})
install(FILES LICENSE prices.json DESTINATION . COMPONENT core)

install(TARGETS cupel_bench RUNTIME DESTINATION bin COMPONENT rest)
install(DIRECTORY bench docs scripts
  DESTINATION . COMPONENT rest OPTIONAL USE_SOURCE_PERMISSIONS ${cupel_no_code})
install(DIRECTORY tests/gpu tests/python tests/propose
  DESTINATION tests COMPONENT rest OPTIONAL
  FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)
install(FILES README.md Makefile DESTINATION . COMPONENT rest)
