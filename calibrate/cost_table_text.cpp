#include "calibrate/cost_table_text.h"

#include <nlohmann/json.hpp>

#include "sim/cost/measured_operators.h"

namespace quintet::calibrate {
namespace {

// Shortest digits that read back to the same number.
std::string exact(double value, const char* unit) {
  return nlohmann::json(value).dump() + " " + unit;
}

nlohmann::ordered_json json_of(const ProcessorCosts& costs) {
  nlohmann::ordered_json json;
  if (costs.cores > 0) json["cores"] = costs.cores;
  json["message_rate"] = exact(costs.message_rate.value, "B/s");
  json["message_work"] = exact(costs.message_work.value, "s");
  json["message_latency"] = exact(costs.message_latency.value, "s");
  json["crowded_latency"] = exact(costs.crowded_latency.value, "s");
  json["source"] = costs.source;
  for (const StagingCosts& each : costs.staging)
    json["staging"].push_back(
        {{"communication", each.communication}, {"rate", exact(each.rate.value, "B/s")}});
  return json;
}

}  // namespace

std::string text_of(const CostTable& table) {
  nlohmann::ordered_json json;
  json["name"] = table.name;
  json["gpu"] = table.gpu;
  json["source"] = table.source;
  json["communication"] = {{"bandwidth_factor", table.communication.bandwidth_factor},
                           {"latency_factor", table.communication.latency_factor},
                           {"source", table.communication.source}};
  if (table.processors) json["processors"] = json_of(*table.processors);
  // A line an operator: such tables are long, and people compare them.
  std::string operators;
  for (const MeasuredOperator& each : table.operators)
    operators += (operators.empty() ? "\n    " : ",\n    ") + json_text(each);
  std::string text = json.dump(2);
  text.resize(text.size() - 2);  // without the newline and brace of the end
  return text + ",\n  \"operators\": [" + operators + "\n  ]\n}\n";
}

}  // namespace quintet::calibrate
