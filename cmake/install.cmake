# What a bundle holds, for `cmake --install`: the tree of a checkout where Python is concerned, and the
# binary in bin/, which finds the libraries that are carried with it through $ORIGIN.
install(TARGETS cupel cupel_bench RUNTIME DESTINATION bin)
install(TARGETS cupel_probe LIBRARY DESTINATION bin)
install(DIRECTORY python DESTINATION . PATTERN __pycache__ EXCLUDE)
install(DIRECTORY tasks prompts pages bench docs scripts
  DESTINATION . OPTIONAL USE_SOURCE_PERMISSIONS
  PATTERN __pycache__ EXCLUDE PATTERN "*.pyc" EXCLUDE
  PATTERN "*.cpp" EXCLUDE PATTERN "*.h" EXCLUDE PATTERN CMakeLists.txt EXCLUDE)
install(DIRECTORY tests/gpu tests/python tests/propose
  DESTINATION tests OPTIONAL
  FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)
install(FILES README.md LICENSE Makefile prices.json DESTINATION .)
