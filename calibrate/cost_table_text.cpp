#include "calibrate/cost_table_text.h"

#include <nlohmann/json.hpp>

#include "calibrate/communication_text.h"
#include "engine/storage/durable_file.h"
#include "sim/cost/measured_operators.h"
#include "sim/cost/operator_curves_file.h"

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
  if (costs.usable < 1) json["usable"] = costs.usable;
  json["source"] = costs.source;
  for (const StagingCosts& each : costs.staging)
    json["staging"].push_back(
        {{"communication", each.communication}, {"rate", exact(each.rate.value, "B/s")}});
  return json;
}

// A line each: such tables are long, and people compare them.
template <class Measured>
std::string lines(const std::string& key, const std::vector<Measured>& all) {
  std::string text;
  for (const Measured& each : all) text += (text.empty() ? "\n    " : ",\n    ") + json_text(each);
  return ",\n  \"" + key + "\": [" + text + "\n  ]";
}

}  // namespace

std::string text_of(const CostTable& table) {
  nlohmann::ordered_json json;
  json["name"] = table.name;
  json["gpu"] = table.gpu;
  json["source"] = table.source;
  if (!table.not_measured.empty()) json["not_measured"] = table.not_measured;
  if (table.processors) json["processors"] = json_of(*table.processors);
  if (const Residuals& residuals = table.whole_steps.residuals; residuals.samples > 0)
    json["whole_steps"] = {
        {"residuals",
         {{"p05", residuals.p05}, {"p95", residuals.p95}, {"samples", residuals.samples}}},
        {"source", table.whole_steps.source}};
  std::string text = json.dump(2);
  text.resize(text.size() - 2);  // without the newline and brace of the end
  text += ",\n  \"communication\": " + json_text(table.communication);
  if (!table.overlap.rows.empty()) text += ",\n  \"overlap\": " + json_text(table.overlap);
  text += lines("operators", table.operators);
  if (!table.curves.empty()) text += lines("curves", table.curves);
  return text + "\n}\n";
}

std::optional<Error> write_table(const std::filesystem::path& file, const CostTable& table) {
  Result<DurableFile> made = DurableFile::create(file);
  if (!made) return made.error();
  if (auto error = made->write(text_of(table))) return error;
  return made->finish();
}

}  // namespace quintet::calibrate
