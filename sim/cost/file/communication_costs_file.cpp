#include "sim/cost/file/communication_costs_file.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/base/json_fields.h"
#include "sim/cost/collective_curve.h"
#include "sim/cost/file/cost_fields.h"

namespace quintet {

namespace {

// Rising sizes and times: a curve is a function that can be read both ways.
std::vector<CurvePoint> read_points(JsonObject& fields) {
  std::vector<CurvePoint> points;
  for (JsonObject& each : fields.objects_or_empty("points")) {
    const CurvePoint point{each.bytes("size"), each.seconds("time")};
    if (!each.failed() && (point.size <= Bytes{} || point.time <= Seconds{}))
      each.fail("size", "size and time must be above zero");
    if (!each.failed() && !points.empty() &&
        (point.size <= points.back().size || point.time <= points.back().time))
      each.fail("size", "sizes and times must rise from point to point");
    points.push_back(point);
    finish(each, fields);
  }
  if (!fields.failed() && points.size() < 2) fields.fail("points", "expected at least two points");
  return points;
}

std::optional<CurveNetwork> read_network(JsonObject& fields) {
  if (!fields.has("network")) return std::nullopt;
  JsonObject child = fields.object("network");
  const CurveNetwork network{child.bandwidth("rate"), child.seconds("latency")};
  finish(child, fields);
  return network;
}

std::optional<Algorithm> read_algorithm(JsonObject& fields) {
  if (!fields.has("algorithm")) return std::nullopt;
  return [&]<std::size_t... index>(std::index_sequence<index...>) {
    const std::array words{file_word(all_algorithms[index])...};
    return fields.one_of<Algorithm>("algorithm", {{words[index], all_algorithms[index]}...});
  }
  (std::make_index_sequence<all_algorithms.size()>{});
}

std::optional<Protocol> read_protocol(JsonObject& fields) {
  if (!fields.has("protocol")) return std::nullopt;
  return fields.one_of<Protocol>(
      "protocol", {{"ll", Protocol::ll}, {"ll128", Protocol::ll128}, {"simple", Protocol::simple}});
}

ResidualsBySize read_by_size(JsonObject& fields) {
  ResidualsBySize by_size;
  by_size.small = residuals_or_none(fields, "residuals_up_to_64_kib");
  by_size.large = residuals_or_none(fields, "residuals_above");
  return by_size;
}

CollectiveCurve read_curve(JsonObject& fields) {
  CollectiveCurve curve;
  curve.kind = fields.one_of<CollectiveKind>("collective",
                                             {{"all_reduce", CollectiveKind::all_reduce},
                                              {"reduce_scatter", CollectiveKind::reduce_scatter},
                                              {"all_gather", CollectiveKind::all_gather},
                                              {"broadcast", CollectiveKind::broadcast},
                                              {"reduce", CollectiveKind::reduce},
                                              {"all_to_all", CollectiveKind::all_to_all}});
  curve.ranks = fields.integer("ranks", 2, 1 << 20);
  curve.hosts = fields.integer_or("hosts", 1, 1, 1 << 20);
  curve.algorithm = read_algorithm(fields);
  curve.protocol = read_protocol(fields);
  curve.network = read_network(fields);
  if (!fields.failed() && (curve.hosts > 1) != curve.network.has_value())
    fields.fail("network", "belongs to curves of several hosts, and only to those");
  curve.points = read_points(fields);
  curve.source = origin_of(fields);
  curve.residuals = residuals_or_none(fields);
  curve.by_size = read_by_size(fields);
  return curve;
}

std::vector<CollectiveCurve> read_curves(JsonObject& fields) {
  CommunicationCosts read;
  for (JsonObject& each : fields.objects_or_empty("curves")) {
    CollectiveCurve curve = read_curve(each);
    const CurveQuery query{curve.kind,      curve.ranks,    curve.hosts,
                           curve.algorithm, curve.protocol, curve.network};
    if (!each.failed() && curve_for(query, read) != nullptr)
      each.fail("ranks", "this collective among " + std::to_string(curve.ranks) +
                             " ranks has a curve already");
    read.curves.push_back(std::move(curve));
    finish(each, fields);
  }
  return std::move(read.curves);
}

std::vector<MessageCurve> read_messages(JsonObject& fields) {
  CommunicationCosts read;
  for (JsonObject& each : fields.objects_or_empty("messages")) {
    MessageCurve curve;
    curve.network = read_network(each);
    curve.points = read_points(each);
    curve.source = origin_of(each);
    curve.residuals = residuals_or_none(each);
    curve.by_size = read_by_size(each);
    if (!each.failed() && message_curve_for(curve.network, read) != nullptr)
      each.fail("network", "messages over it have a curve already");
    read.messages.push_back(std::move(curve));
    finish(each, fields);
  }
  return std::move(read.messages);
}

constexpr int most_ranks = 1 << 20;

std::vector<PairCosts> read_pairs(JsonObject& fields) {
  std::vector<PairCosts> pairs;
  for (JsonObject& each : fields.objects_or_empty("pairs")) {
    pairs.push_back({each.integer("from", 0, most_ranks), each.integer("to", 0, most_ranks),
                     each.seconds("latency"), each.bandwidth("rate")});
    finish(each, fields);
  }
  return pairs;
}

std::optional<MeasuredRanks> read_among(JsonObject& fields) {
  if (!fields.has("among")) return std::nullopt;
  JsonObject child = fields.object("among");
  MeasuredRanks among;
  among.ranks = child.integer("ranks", 1, most_ranks);
  among.hosts = child.integer("hosts", 1, most_ranks);
  among.clock_offset = child.seconds("clock_offset");
  among.clock_bound = child.seconds("clock_bound");
  among.quantum = child.seconds("quantum");
  among.jitter = residuals_or_none(child);
  among.slowest = number_in(child, "slowest", 1, 1e6);
  among.slowest_rank = child.integer("slowest_rank", 0, most_ranks);
  among.source = origin_of(child);
  finish(child, fields);
  return among;
}

std::vector<OverlapRow> read_rows(JsonObject& fields) {
  std::vector<OverlapRow> rows;
  for (JsonObject& each : fields.objects_or_empty("rows")) {
    OverlapRow row;
    row.compute = each.one_of<ComputeClass>(
        "compute", {{"product", ComputeClass::product}, {"memory", ComputeClass::memory}});
    row.communication = each.one_of<CommunicationClass>(
        "communication",
        {{"reducing", CommunicationClass::reducing}, {"copying", CommunicationClass::copying}});
    row.compute_slowdown = number_in(each, "compute_slowdown", 0.01, 1e4);
    row.communication_slowdown = number_in(each, "communication_slowdown", 0.01, 1e4);
    rows.push_back(row);
    finish(each, fields);
  }
  return rows;
}

}  // namespace

CommunicationCosts read_communication(JsonObject& fields) {
  CommunicationCosts costs;
  costs.bandwidth_factor = number_in(fields, "bandwidth_factor", 1e-2, 10);
  costs.latency_factor = number_in(fields, "latency_factor", 0, 100);
  costs.source = origin_of(fields);
  costs.curves = read_curves(fields);
  costs.residuals = residuals_or_none(fields);
  costs.messages = read_messages(fields);
  costs.pairs = read_pairs(fields);
  costs.among = read_among(fields);
  return costs;
}

OverlapCosts read_overlap(JsonObject& fields) {
  OverlapCosts costs;
  costs.sms_per_channel = fields.integer("multiprocessors_per_channel", 0, 64);
  costs.memory_traffic_reduce = number_in(fields, "memory_traffic_reduce", 0, 100);
  costs.memory_traffic_copy = number_in(fields, "memory_traffic_copy", 0, 100);
  costs.compute_slowdown = number_in(fields, "compute_slowdown", 1, 100);
  costs.communication_slowdown = number_in(fields, "communication_slowdown", 1, 100);
  costs.source = origin_of(fields);
  costs.rows = read_rows(fields);
  return costs;
}

namespace {

std::vector<StagingCosts> read_staging(JsonObject& fields) {
  std::vector<StagingCosts> staging;
  for (JsonObject& each : fields.objects_or_empty("staging")) {
    StagingCosts costs{each.text("communication"), each.bandwidth("rate")};
    if (!each.failed() && costs.rate <= Bandwidth{}) each.fail("rate", "must be above zero");
    for (const StagingCosts& other : staging)
      if (!each.failed() && other.communication == costs.communication)
        each.fail("communication", "\"" + costs.communication + "\" is there already");
    staging.push_back(std::move(costs));
    finish(each, fields);
  }
  return staging;
}

}  // namespace

ProcessorCosts read_processors(JsonObject& fields) {
  ProcessorCosts costs;
  costs.cores = fields.integer_or("cores", 0, 1, 1 << 20);
  costs.message_rate = fields.bandwidth("message_rate");
  costs.message_work = fields.seconds("message_work");
  costs.message_latency = fields.seconds("message_latency");
  costs.crowded_latency = fields.seconds_or("crowded_latency", costs.message_latency);
  costs.source = origin_of(fields);
  costs.staging = read_staging(fields);
  costs.usable = number_in_or(fields, "usable", 1, 0.1, 1);
  if (fields.has("arrival_spread")) {
    JsonObject spread = fields.object_or_empty("arrival_spread");
    costs.arrival_spread = {number_in_or(spread, "share", 0, 0, 10), spread.seconds("most")};
    finish(spread, fields);
  }
  return costs;
}

namespace {

std::string with_underscores(std::string_view name) {
  std::string word(name);
  std::replace(word.begin(), word.end(), '-', '_');
  return word;
}

}  // namespace

std::string file_word(CollectiveKind kind) {
  return with_underscores(name_of(kind));
}
std::string file_word(Algorithm algorithm) {
  return with_underscores(name_of(algorithm));
}
std::string file_word(Protocol protocol) {
  return with_underscores(name_of(protocol));
}

}  // namespace quintet
