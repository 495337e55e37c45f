#include "calibrate/command/cost_table_text.h"

#include <nlohmann/json.hpp>

#include "calibrate/command/communication_text.h"
#include "engine/files/storage/durable_file.h"
#include "sim/cost/file/operator_curves_file.h"
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
  if (costs.usable < 1) json["usable"] = costs.usable;
  if (const ArrivalSpread& spread = costs.arrival_spread; spread.share > 0)
    json["arrival_spread"] = {{"share", spread.share}, {"most", exact(spread.most.value, "s")}};
  json["source"] = costs.source;
  for (const StagingCosts& each : costs.staging)
    json["staging"].push_back(
        {{"communication", each.communication}, {"rate", exact(each.rate.value, "B/s")}});
  return json;
}

nlohmann::ordered_json json_of(const LaunchCosts& costs) {
  return {{"eager", exact(costs.eager.value, "s")},
          {"graph", exact(costs.graph.value, "s")},
          {"collective", exact(costs.collective.value, "s")},
          {"gap", exact(costs.gap.value, "s")},
          {"queue", costs.queue},
          {"synchronise", exact(costs.synchronise.value, "s")},
          {"step", exact(costs.step.value, "s")},
          {"source", costs.source}};
}

nlohmann::ordered_json json_of(const CopyCosts& costs) {
  nlohmann::ordered_json json{{"host_to_device", exact(costs.host_to_device.value, "B/s")},
                              {"device_to_host", exact(costs.device_to_host.value, "B/s")},
                              {"device_to_device", exact(costs.device_to_device.value, "B/s")},
                              {"start", exact(costs.start.value, "s")}};
  if (costs.pageable_to_device > Bandwidth{})
    json["pageable_to_device"] = exact(costs.pageable_to_device.value, "B/s");
  if (costs.device_to_pageable > Bandwidth{})
    json["device_to_pageable"] = exact(costs.device_to_pageable.value, "B/s");
  if (costs.both_ways > 1) json["both_ways"] = costs.both_ways;
  json["source"] = costs.source;
  return json;
}

// Of a GPU; a part that was not measured is not written.
void add_device(const CostTable& table, nlohmann::ordered_json& json) {
  if (table.sms > 0 && table.memory_bandwidth > Bandwidth{}) {
    json["multiprocessors"] = table.sms;
    json["memory_bandwidth"] = exact(table.memory_bandwidth.value, "B/s");
    if (table.cache > Bytes{}) json["cache"] = exact(table.cache.value, "B");
  }
  if (!table.launch.source.empty()) json["launch"] = json_of(table.launch);
  const CopyCosts& copy = table.copy;
  if (copy.host_to_device > Bandwidth{} && copy.device_to_host > Bandwidth{} &&
      copy.device_to_device > Bandwidth{})
    json["copy"] = json_of(copy);
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
  add_device(table, json);
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
