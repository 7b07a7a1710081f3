#include "base/source_text.h"

#include <gtest/gtest.h>

#include <string>

namespace cupel {
namespace {

using namespace std::string_literals;

bool is_plain(std::string_view source) {
  return source_problem(source).empty();
}

TEST(SourceText, OrdinaryProgramsArePlain) {
  EXPECT_TRUE(is_plain(""));
  EXPECT_TRUE(
      is_plain("import torch\r\nx = 'Gr\xC3\xBC\xC3\x9F"
               "e'\r\n"));
  EXPECT_TRUE(is_plain("\f# a page\n\timport torch"));
}

TEST(SourceText, NamesWhatIsNotUtf8AndWhere) {
  EXPECT_EQ(source_problem("a = 1\nb = '\xE9'\n"), "a byte is not UTF-8 (line 2)");
  EXPECT_FALSE(is_plain("'\xED\xA0\x80'"));      // a surrogate
  EXPECT_FALSE(is_plain("'\xC0\xAF'"));          // longer than needed
  EXPECT_FALSE(is_plain("'\xE0\x80\xAF'"));      // the same in three bytes
  EXPECT_FALSE(is_plain("'\xF4\x90\x80\x80'"));  // beyond Unicode
  EXPECT_FALSE(is_plain("'\xE2\x82"));           // cut off
}

TEST(SourceText, NullsMarksAndLoneReturnsAreRefused) {
  EXPECT_EQ(source_problem("a = 1\n\0"s), "it holds a null byte (line 2)");
  EXPECT_EQ(source_problem("\xEF\xBB\xBFimport torch\n"), "it begins with a byte order mark");
  EXPECT_EQ(source_problem("# a comment\rimport os\n"), "a carriage return ends no line (line 1)");
  EXPECT_FALSE(is_plain("a = 1\r"));
}

TEST(SourceText, CookiesOfOtherEncodingsAreRefused) {
  EXPECT_EQ(source_problem("# -*- coding: latin-1 -*-\n"),
            "its coding cookie names 'latin-1', not utf-8");
  for (const char* source :
       {"#coding=utf-7\n", "# vim: set fileencoding=cp1252 :\n", "\n# coding:\traw_unicode_escape",
        " \f\t# x coding: utf-16\n", "#!/usr/bin/env python\r\n# coding: rot13\r\n",
        "# coding coding: hex\n", "# encoding: utf-8x\n", "# coding: utf-8-sig\n"}) {
    EXPECT_FALSE(is_plain(source)) << source;
  }
}

TEST(SourceText, WhatPythonTakesForNoCookieIsNone) {
  for (const char* source :
       {"# -*- coding: utf-8 -*-\n", "# coding=UTF_8\n", "#coding:utf8\n# coding: latin-1\n",
        "# coding : latin-1\n", "# the coding of weights\n# coding:\n", "\n\n# coding: latin-1\n",
        "import torch\n# coding: latin-1\n", "x = 1  # coding: latin-1\n", "'coding: latin-1'\n"}) {
    EXPECT_TRUE(is_plain(source)) << source << source_problem(source);
  }
}

}  // namespace
}  // namespace cupel
