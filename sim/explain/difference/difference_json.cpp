
#include "sim/explain/breakdown_report.h"
#include "sim/explain/causality.h"
#include "sim/explain/difference/cause_text.h"
#include "sim/explain/difference/difference_report.h"
#include "sim/explain/recording_text.h"
#include "sim/json/json_value.h"

namespace quintet {

namespace {

using Json = JsonValue;

Json json_of(const Compared& time) {
  return {{"predicted", time.predicted.picoseconds}, {"measured", time.measured.picoseconds}};
}

Json json_of(const std::vector<DifferencePart>& parts) {
  Json all = Json::array();
  for (const DifferencePart& part : parts) {
    Json entry{{"name", part.name}};
    entry.update(json_of(part.time));
    all.push_back(entry);
  }
  return all;
}

Json breakdowns_of(const RankBreakdown& predicted, const RankBreakdown& measured) {
  const std::vector<Named<RankBreakdown>> both{{"predicted", predicted}, {"measured", measured}};
  return Json::parse(breakdown_json(both))["plans"];
}

Json json_of(const SpanKey& key, const Timeline& timeline) {
  return {{"instruction", timeline.infos[static_cast<std::size_t>(key.info)].name},
          {"layer", key.layer},
          {"micro_batch", key.micro_batch},
          {"chunk", key.chunk},
          {"bucket", key.bucket},
          {"occurrence", key.occurrence}};
}

Json ranks_of(const Difference& difference) {
  Json all = Json::array();
  for (const RankDifference& each : difference.per_rank)
    all.push_back({{"rank", each.rank.value},
                   {"shown_by", each.shown_by.value},
                   {"breakdown", breakdowns_of(each.predicted, each.measured)}});
  return all;
}

Json hosts_of(const Difference& difference) {
  Json all = Json::array();
  for (const HostDifference& each : difference.per_host)
    all.push_back(
        {{"host", each.host}, {"breakdown", breakdowns_of(each.predicted, each.measured)}});
  return all;
}

Json causes_of(const Difference& difference) {
  Json all = Json::array();
  for (const Cause& each : difference.causes) {
    Json entry{{"cause", name_of(each.kind)}};
    if (each.kind == CauseKind::rank) entry["rank"] = each.rank.value;
    if (!each.host.empty()) entry["host"] = each.host;
    if (each.kind == CauseKind::operators) {
      entry["operator"] = name_of(each.work);
      entry["phase"] = name_of(each.phase);
    }
    if (each.kind == CauseKind::network) entry["axis"] = name_of(each.axis);
    entry.update(json_of(each.charged));
    entry["work"] = json_of(each.work_time);
    entry["text"] = sentence_of(each);
    all.push_back(entry);
  }
  return all;
}

Json operators_of(const Difference& difference) {
  Json all = Json::array();
  for (const OperatorRatio& each : difference.operators) {
    Json entry{
        {"operator", name_of(each.work)}, {"phase", name_of(each.phase)}, {"spans", each.spans}};
    entry.update(json_of(each.time));
    if (each.cpu) entry["cpu"] = each.cpu->picoseconds;
    all.push_back(entry);
  }
  return all;
}

Json communication_of(const DifferenceInput& input) {
  Json all = Json::array();
  for (const CommunicationRatio& each : input.difference.moves) {
    const SpanInfo& info = input.measured.infos[static_cast<std::size_t>(each.info)];
    all.push_back({{"instruction", info.name},
                   {"kind", name_of(info.kind)},
                   {"axis", name_of(info.axis)},
                   {"bytes", info.size.value},
                   {"spans", each.spans},
                   {"moving", json_of(each.moving)},
                   {"waiting", json_of(each.waiting)}});
  }
  return all;
}

Json instructions_of(const DifferenceInput& input) {
  Json all = Json::array();
  for (const InstructionDifference& each : input.difference.instructions) {
    Json entry{{"instruction", input.measured.infos[static_cast<std::size_t>(each.info)].name},
               {"info", each.info},
               {"spans", each.spans}};
    entry.update(json_of(each.time));
    Json worst{{"rank", each.worst_rank.value}};
    worst.update(json_of(each.worst, input.measured));
    worst.update(json_of(each.worst_time));
    entry["worst"] = worst;
    all.push_back(entry);
  }
  return all;
}

Json unmatched_of(const DifferenceInput& input) {
  Json all = Json::array();
  for (const UnmatchedSpan& each : input.difference.unmatched) {
    Json entry{{"only", each.only == Side::predicted ? "predicted" : "measured"},
               {"rank", each.rank.value},
               {"time", each.time.picoseconds}};
    entry.update(json_of(each.key, input.measured));
    all.push_back(entry);
  }
  return all;
}

Json json_of(const Measurement& measurement) {
  Json steps = Json::array();
  for (const StepTime& step : measurement.steps)
    steps.push_back({{"step", step.step}, {"time", step.time.picoseconds}});
  Json all{{"step", measurement.step},
           {"steps", steps},
           {"clock_bound", measurement.clock_bound.picoseconds}};
  if (measurement.recording) all["recording"] = Json::parse(recording_json(*measurement.recording));
  return all;
}

Json deviations_of(const Timeline& timeline) {
  Json all = Json::array();
  if (timeline.measurement)
    for (const PlanDeviation& each : timeline.measurement->deviations)
      all.push_back({{"decision", each.decision}, {"asked", each.asked}, {"done", each.done}});
  return all;
}

}  // namespace

std::string difference_json(const DifferenceInput& input) {
  const Difference& difference = input.difference;
  Json json{{"schema_version", 1},
            {"unit", "ps"},
            {"predicted_file", input.predicted_name},
            {"measured_file", input.measured_name},
            {"ranks", difference.ranks},
            {"step", json_of(difference.step)}};
  if (input.measured.measurement) json["measurement"] = json_of(*input.measured.measurement);
  if (difference.threads)
    json["threads"] = {{"spans", difference.threads->spans.picoseconds},
                       {"ran", difference.threads->ran.picoseconds}};
  if (const auto warning = causality_warning(input.measured)) json["warning"] = *warning;
  json["causes"] = causes_of(difference);
  json["breakdown"] = breakdowns_of(difference.predicted, difference.measured);
  json["stack"] = json_of(difference.stack);
  json["layers"] = json_of(difference.layers);
  json["axes"] = json_of(difference.axes);
  json["per_host"] = hosts_of(difference);
  json["per_rank"] = ranks_of(difference);
  json["operators"] = operators_of(difference);
  json["communication"] = communication_of(input);
  json["instructions"] = instructions_of(input);
  json["unmatched"] = unmatched_of(input);
  json["unobeyed"] = deviations_of(input.measured);
  return json.dump(2) + "\n";
}

}  // namespace quintet
