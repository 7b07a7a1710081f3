// Reads one exported graph a line, writes what `cupel rewrite --json` says about it, one a line.
#include <iostream>
#include <string>

#include "report/rewrite_report.h"

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    auto exported = cupel::decode_graph_export(line);
    if (!exported) {
      std::cerr << exported.error().describe() << "\n";
      return 1;
    }
    cupel::report::RewriteFindings findings{{}, exported->refused, exported->graph, {}};
    findings.rewritings = cupel::rewrite::rewrite(*exported);
    std::cout << cupel::report::rewrite_json(findings) << std::flush;
  }
}
