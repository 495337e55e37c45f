#include "calibrate/command/communication_text.h"

#include <vector>

#include <nlohmann/json.hpp>

#include "sim/cost/file/communication_costs_file.h"

namespace quintet::calibrate {
namespace {

using Json = nlohmann::ordered_json;

// Shortest digits that read back to the same number.
std::string exact(double value, const char* unit) {
  return Json(value).dump() + " " + unit;
}
std::string exact(Seconds time) {
  return exact(time.value, "s");
}
std::string exact(Bandwidth rate) {
  return exact(rate.value, "B/s");
}

Json json_of(const Residuals& residuals) {
  return {{"p05", residuals.p05}, {"p95", residuals.p95}, {"samples", residuals.samples}};
}

Json json_of(const CurveNetwork& network) {
  return {{"rate", exact(network.rate)}, {"latency", exact(network.latency)}};
}

Json json_of(const std::vector<CurvePoint>& points) {
  Json all = Json::array();
  for (const CurvePoint& point : points)
    all.push_back({{"size", exact(point.size.value, "B")}, {"time", exact(point.time)}});
  return all;
}

template <class Curve>
void add_measurement(Json& json, const Curve& curve) {
  if (curve.network) json["network"] = json_of(*curve.network);
  json["points"] = json_of(curve.points);
  json["source"] = curve.source;
  if (curve.residuals.samples > 0) json["residuals"] = json_of(curve.residuals);
  if (curve.by_size.small.samples > 0)
    json["residuals_up_to_64_kib"] = json_of(curve.by_size.small);
  if (curve.by_size.large.samples > 0) json["residuals_above"] = json_of(curve.by_size.large);
}

Json json_of(const CollectiveCurve& curve) {
  Json json{{"collective", file_word(curve.kind)}, {"ranks", curve.ranks}, {"hosts", curve.hosts}};
  if (curve.algorithm) json["algorithm"] = file_word(*curve.algorithm);
  if (curve.protocol) json["protocol"] = file_word(*curve.protocol);
  add_measurement(json, curve);
  return json;
}

Json json_of(const MessageCurve& curve) {
  Json json = Json::object();
  add_measurement(json, curve);
  return json;
}

Json json_of(const PairCosts& pair) {
  return {{"from", pair.from},
          {"to", pair.to},
          {"latency", exact(pair.latency)},
          {"rate", exact(pair.rate)}};
}

Json json_of(const MeasuredRanks& among) {
  Json json{{"ranks", among.ranks},
            {"hosts", among.hosts},
            {"clock_offset", exact(among.clock_offset)},
            {"clock_bound", exact(among.clock_bound)},
            {"quantum", exact(among.quantum)},
            {"slowest", among.slowest},
            {"slowest_rank", among.slowest_rank},
            {"source", among.source}};
  if (among.jitter.samples > 0) json["residuals"] = json_of(among.jitter);
  return json;
}

Json json_of(const OverlapRow& row) {
  return {
      {"compute", row.compute == ComputeClass::product ? "product" : "memory"},
      {"communication", row.communication == CommunicationClass::reducing ? "reducing" : "copying"},
      {"compute_slowdown", row.compute_slowdown},
      {"communication_slowdown", row.communication_slowdown}};
}

template <class Each>
std::string lines(const char* key, const std::vector<Each>& all) {
  if (all.empty()) return "";
  std::string text;
  for (const Each& each : all)
    text += (text.empty() ? "\n      " : ",\n      ") + json_of(each).dump();
  return std::string(",\n    \"") + key + "\": [" + text + "\n    ]";
}

// An object's text without the brace that ends it.
std::string open(const Json& json) {
  std::string text = json.dump();
  text.pop_back();
  return text;
}

}  // namespace

std::string json_text(const CommunicationCosts& costs) {
  Json head{{"bandwidth_factor", costs.bandwidth_factor},
            {"latency_factor", costs.latency_factor},
            {"source", costs.source}};
  if (costs.residuals.samples > 0) head["residuals"] = json_of(costs.residuals);
  if (costs.among) head["among"] = json_of(*costs.among);
  return open(head) + lines("curves", costs.curves) + lines("messages", costs.messages) +
         lines("pairs", costs.pairs) + "}";
}

std::string json_text(const OverlapCosts& costs) {
  const Json head{{"multiprocessors_per_channel", costs.sms_per_channel},
                  {"memory_traffic_reduce", costs.memory_traffic_reduce},
                  {"memory_traffic_copy", costs.memory_traffic_copy},
                  {"compute_slowdown", costs.compute_slowdown},
                  {"communication_slowdown", costs.communication_slowdown},
                  {"source", costs.source}};
  return open(head) + lines("rows", costs.rows) + "}";
}

}  // namespace quintet::calibrate
