// Reads one exported graph a line, writes what `cupel rewrite --json` says about it, one a line.
// rewrite_graphs POLICY [DEVICE]: for a GPU unless another is named.
#include <iostream>
#include <string>

#include "report/answers/rewrite_report.h"

int main(int count, char** arguments) {
  using cupel::Policy;
  const auto policy = cupel::parse_policy(count > 1 ? arguments[1] : "");
  if (!policy) {
    std::cerr << policy.error().describe() << "\n";
    return 1;
  }
  const cupel::rewrite::Setting setting{*policy, count > 2 ? arguments[2] : "cuda"};
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    auto exported = cupel::decode_graph_export(line);
    if (!exported) {
      std::cerr << exported.error().describe() << "\n";
      return 1;
    }
    cupel::report::RewriteFindings findings{{}, exported->refused, exported->graph, {}};
    findings.rewritings = cupel::rewrite::rewrite(*exported, setting);
    std::cout << cupel::report::rewrite_json(findings) << std::flush;
  }
}
