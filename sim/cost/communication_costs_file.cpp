#include "sim/cost/communication_costs_file.h"

#include <utility>

#include "sim/cost/cost_fields.h"
#include "sim/json_fields.h"

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

std::vector<CollectiveCurve> read_curves(JsonObject& fields) {
  std::vector<CollectiveCurve> curves;
  for (JsonObject& each : fields.objects_or_empty("curves")) {
    CollectiveCurve curve;
    curve.kind = each.one_of<CollectiveKind>("collective",
                                             {{"all_reduce", CollectiveKind::all_reduce},
                                              {"reduce_scatter", CollectiveKind::reduce_scatter},
                                              {"all_gather", CollectiveKind::all_gather},
                                              {"broadcast", CollectiveKind::broadcast},
                                              {"reduce", CollectiveKind::reduce},
                                              {"all_to_all", CollectiveKind::all_to_all}});
    curve.ranks = each.integer("ranks", 2, 1024);
    curve.points = read_points(each);
    curve.source = origin_of(each);
    curve.residuals = residuals_or_none(each);
    for (const CollectiveCurve& other : curves)
      if (!each.failed() && other.kind == curve.kind && other.ranks == curve.ranks)
        each.fail("ranks", "this collective among " + std::to_string(curve.ranks) +
                               " ranks has a curve already");
    curves.push_back(std::move(curve));
    finish(each, fields);
  }
  return curves;
}

}  // namespace

CommunicationCosts read_communication(JsonObject& fields) {
  CommunicationCosts costs;
  costs.bandwidth_factor = number_in(fields, "bandwidth_factor", 1e-2, 10);
  costs.latency_factor = number_in(fields, "latency_factor", 0, 100);
  costs.source = origin_of(fields);
  costs.curves = read_curves(fields);
  costs.residuals = residuals_or_none(fields);
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
  return costs;
}

}  // namespace quintet
