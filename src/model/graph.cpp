#include "model/graph.h"

#include <limits>

#include "model/codec.h"

namespace cupel {
namespace {

using nlohmann::json;
using Kind = GraphValue::Kind;

json real_json(double value) {
  if (std::isfinite(value)) return value;
  return {{"float", std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"}};
}

double real_of(const std::string& text) {
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  return text == "-inf" ? -infinity : infinity;
}

GraphValue tagged(Kind kind, const json& text) {
  GraphValue value;
  value.kind = kind;
  value.text = text.get<std::string>();
  return value;
}

GraphValue object_value(const json& object) {
  if (object.contains("node")) return tagged(Kind::node, object.at("node"));
  if (object.contains("torch")) return tagged(Kind::torch, object.at("torch"));
  if (object.contains("device")) return tagged(Kind::device, object.at("device"));
  return GraphValue::of(real_of(object.at("float").get<std::string>()));
}

}  // namespace

GraphValue GraphValue::of_node(std::string name) {
  GraphValue value;
  value.kind = Kind::node;
  value.text = std::move(name);
  return value;
}

GraphValue GraphValue::of(bool given) {
  GraphValue value;
  value.kind = Kind::boolean;
  value.integer = given ? 1 : 0;
  return value;
}

GraphValue GraphValue::of(std::int64_t given) {
  GraphValue value;
  value.kind = Kind::integer;
  value.integer = given;
  return value;
}

GraphValue GraphValue::of(double given) {
  GraphValue value;
  value.kind = Kind::real;
  value.real = given;
  return value;
}

GraphValue GraphValue::of(const std::vector<std::int64_t>& values) {
  GraphValue value;
  value.kind = Kind::list;
  for (const std::int64_t item : values) value.items.push_back(of(item));
  return value;
}

void to_json(json& out, const GraphValue& value) {
  switch (value.kind) {
    case Kind::none:
      out = nullptr;
      return;
    case Kind::node:
      out = {{"node", value.text}};
      return;
    case Kind::boolean:
      out = value.integer != 0;
      return;
    case Kind::integer:
      out = value.integer;
      return;
    case Kind::real:
      out = real_json(value.real);
      return;
    case Kind::text:
      out = value.text;
      return;
    case Kind::torch:
      out = {{"torch", value.text}};
      return;
    case Kind::device:
      out = {{"device", value.text}};
      return;
    case Kind::list:
      out = value.items;
      if (value.items.empty()) out = json::array();
      return;
  }
}

void from_json(const json& in, GraphValue& value) {
  value = {};
  if (in.is_null()) return;
  if (in.is_boolean()) {
    value = GraphValue::of(in.get<bool>());
  } else if (in.is_number_integer()) {
    value = GraphValue::of(in.get<std::int64_t>());
  } else if (in.is_number()) {
    value = GraphValue::of(in.get<double>());
  } else if (in.is_string()) {
    value = tagged(Kind::text, in);
  } else if (in.is_array()) {
    value.kind = Kind::list;
    value.items = in.get<std::vector<GraphValue>>();
  } else {
    value = object_value(in);
  }
}

CUPEL_JSON_STRUCT(GraphArgument, name, value, is_default, is_keyword)
CUPEL_JSON_STRUCT(GraphNode, name, op, source, state, arguments, outputs, is_tuple, is_effect,
                  is_random, is_view)
CUPEL_JSON_STRUCT(GraphResult, kind, value, is_fresh, keys, items)
CUPEL_JSON_STRUCT(Graph, init, parameters, is_training, nodes, result)
CUPEL_JSON_STRUCT(GraphPart, kind, paths, graph)
CUPEL_JSON_STRUCT(GraphExport, graph, refused, parts)

std::string encode(const Graph& graph) {
  return encode_value(graph);
}
Result<Graph> decode_graph(std::string_view json) {
  return decode_value<Graph>(json, "graph");
}
Result<GraphExport> decode_graph_export(std::string_view json) {
  return decode_value<GraphExport>(json, "exported graph");
}

}  // namespace cupel
