# What a bundle holds, for `cmake --install`: the binary finds the libraries that are carried with it
# through $ORIGIN, and Cupel's home is share/cupel.
install(TARGETS cupel RUNTIME DESTINATION bin)
install(TARGETS cupel_probe LIBRARY DESTINATION lib/cupel)
install(DIRECTORY python tasks prompts bench docs
  DESTINATION share/cupel OPTIONAL
  PATTERN __pycache__ EXCLUDE PATTERN "*.pyc" EXCLUDE
  PATTERN "*.cpp" EXCLUDE PATTERN "*.h" EXCLUDE PATTERN CMakeLists.txt EXCLUDE)
install(DIRECTORY tests/python tests/propose
  DESTINATION share/cupel/tests
  FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)
install(FILES README.md LICENSE DESTINATION share/cupel)
