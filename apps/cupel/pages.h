// Reports as files for a browser, and the documents that they are drawn from.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/suite/suite_report.h"

namespace cupel::cli {

// The documents of docs/json.md, "Pages". `run` is a RUN argument.
Result<std::string> run_page_data(const std::string& run);
Result<std::string> suite_page_data(const std::filesystem::path& directory, bool with_degenerate);

// Write the page, say so, and return the exit code.
Result<int> write_run_page(const std::string& file, const std::filesystem::path& directory);
Result<int> write_suite_page(const std::string& file, const report::Suite& suite,
                             const std::vector<report::SuiteEntry>& entries);

}  // namespace cupel::cli
