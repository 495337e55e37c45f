#include "sim/cost/file/communication_costs_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/cost/collective_curve.h"
#include "sim/cost/file/cost_lists.h"
#include "sim/cost/file/operator_lists.h"
#include "sim/json/field_list.h"

namespace quintet {

namespace {

constexpr int most_ranks = 1 << 20;

std::string at(const char* list, std::size_t index, const char* key) {
  return fmt::format("{}[{}].{}", list, index, key);
}

std::string with_underscores(std::string_view name) {
  std::string word(name);
  std::replace(word.begin(), word.end(), '-', '_');
  return word;
}

// How such files call it: "all_reduce", "halving_doubling", "ll128".
std::string file_word(CollectiveKind kind) {
  return with_underscores(name_of(kind));
}
std::string file_word(Algorithm algorithm) {
  return with_underscores(name_of(algorithm));
}
std::string file_word(Protocol protocol) {
  return with_underscores(name_of(protocol));
}

std::string_view class_word(ComputeClass compute) {
  switch (compute) {
    case ComputeClass::product:
      return "product";
    case ComputeClass::memory:
      return "memory";
  }
  return {};
}

std::string_view class_word(CommunicationClass communication) {
  switch (communication) {
    case CommunicationClass::reducing:
      return "reducing";
    case CommunicationClass::copying:
      return "copying";
  }
  return {};
}

constexpr auto in_file = [](auto word) { return file_word(word); };
constexpr auto class_in_file = [](auto word) { return class_word(word); };

}  // namespace

template <class File>
void fields(File& file, CurvePoint& point) {
  file.required({"size", "rising from point to point"}, point.size);
  file.required({"time", "rising from point to point"}, point.time);
  if (point.size <= Bytes{} || point.time <= Seconds{})
    file.refuse("size", "size and time must be above zero");
}

template <class File>
void fields(File& file, CurveNetwork& network) {
  file.required({"rate", "raw rate of the slowest link between neighbours"}, network.rate);
  file.required({"latency", "of its wires and switches"}, network.latency);
}

// Rising sizes and times: a curve is a function that can be read both ways.
template <class File>
void measured(File& file, std::vector<CurvePoint>& points) {
  file.field("points", points);
  for (std::size_t i = 1; i < points.size(); ++i)
    if (points[i].size <= points[i - 1].size || points[i].time <= points[i - 1].time)
      file.refuse(at("points", i, "size"), "sizes and times must rise from point to point");
  if (points.size() < 2) file.refuse("points", "expected at least two points");
}

template <class File>
void fields(File& file, MessageCurve& curve) {
  file.field({"network", "between two hosts; left out: inside one"}, curve.network);
  measured(file, curve.points);
  origin(file, curve.source);
  residuals_field(file, "residuals", curve.residuals);
  residuals_field(file, "residuals_up_to_64_kib", curve.by_size.small);
  residuals_field(file, "residuals_above", curve.by_size.large);
  file.unusual("evidence", curve.evidence, usual_evidence(curve.residuals));
}

template <class File>
void fields(File& file, CollectiveCurve& curve) {
  file.required({"collective", "which"}, curve.kind, in_file);
  file.required({"ranks", "how many took part"}, curve.ranks, Between{2, most_ranks});
  file.field({"hosts", "that they were spread over evenly"}, curve.hosts, Between{1, most_ranks});
  file.field({"algorithm", "of just this one; left out: as NCCL chooses"}, curve.algorithm,
             in_file);
  file.field({"protocol", "of just this one; left out: as NCCL chooses"}, curve.protocol, in_file);
  file.field({"network", "the slowest link between neighbours on several hosts"}, curve.network);
  if ((curve.hosts > 1) != curve.network.has_value())
    file.refuse("network", "belongs to curves of several hosts, and only to those");
  measured(file, curve.points);
  origin(file, curve.source);
  residuals_field(file, "residuals", curve.residuals);
  residuals_field(file, "residuals_up_to_64_kib", curve.by_size.small);
  residuals_field(file, "residuals_above", curve.by_size.large);
  file.unusual("evidence", curve.evidence, usual_evidence(curve.residuals));
}

template <class File>
void fields(File& file, PairCosts& pair) {
  file.required("from", pair.from, Between{0, most_ranks});
  file.required("to", pair.to, Between{0, most_ranks});
  file.required("latency", pair.latency);
  file.required("rate", pair.rate);
}

template <class File>
void fields(File& file, MeasuredRanks& among) {
  file.required("ranks", among.ranks, Between{1, most_ranks});
  file.required("hosts", among.hosts, Between{1, most_ranks});
  file.required("clock_offset", among.clock_offset);
  file.required("clock_bound", among.clock_bound);
  file.required("quantum", among.quantum);
  file.required("slowest", among.slowest, Between{1.0, 1e6});
  file.required("slowest_rank", among.slowest_rank, Between{0, most_ranks});
  origin(file, among.source);
  residuals_field(file, "residuals", among.jitter);
}

template <class File>
void fields(File& file, CommunicationCosts& costs) {
  file.required({"bandwidth_factor", "on what NCCL's tuner believes"}, costs.bandwidth_factor,
                Between{1e-2, 10.0});
  file.required({"latency_factor", "on what NCCL's tuner believes"}, costs.latency_factor,
                Between{0.0, 100.0});
  origin(file, costs.source);
  residuals_field(file, "residuals", costs.residuals);
  file.field({"among", "who measured"}, costs.among);
  file.unusual({"evidence", "what the factors rest on"}, costs.evidence,
               usual_evidence(costs.residuals));
  file.unusual({"between_hosts_evidence", "the same of what crosses hosts"}, costs.between_hosts,
               Evidence::guessed);
  file.unusual({"curves", "measured collectives among ranks"}, costs.curves, {});
  file.unusual({"messages", "measured messages from rank to rank"}, costs.messages, {});
  file.unusual({"pairs", "of ranks that were measured"}, costs.pairs, {});
}

template <class File>
void fields(File& file, OverlapRow& row) {
  file.required({"compute", "work beside"}, row.compute, class_in_file);
  file.required({"communication", "collectives beside"}, row.communication, class_in_file);
  file.required({"compute_slowdown", "factor"}, row.compute_slowdown, Between{0.01, 1e4});
  file.required({"communication_slowdown", "factor"}, row.communication_slowdown,
                Between{0.01, 1e4});
}

template <class File>
void fields(File& file, OverlapCosts& costs) {
  file.required({"multiprocessors_per_channel", "SMs that an NCCL channel takes from kernels"},
                costs.sms_per_channel, Between{0, 64});
  file.required({"memory_traffic_reduce", "bytes of memory traffic per byte of a reduction"},
                costs.memory_traffic_reduce, Between{0.0, 100.0});
  file.required({"memory_traffic_copy", "the same of forwarding"}, costs.memory_traffic_copy,
                Between{0.0, 100.0});
  file.required({"compute_slowdown", "further factor while a collective runs"},
                costs.compute_slowdown, Between{1.0, 100.0});
  file.required({"communication_slowdown", "further factor while kernels run"},
                costs.communication_slowdown, Between{1.0, 100.0});
  origin(file, costs.source);
  file.unusual({"rows", "the same by class of work, in the place of the four above"}, costs.rows,
               {});
}

template <class File>
void fields(File& file, ArrivalSpread& spread) {
  file.field("share", spread.share, Between{0.0, 10.0});
  file.required("most", spread.most);
}

template <class File>
void fields(File& file, ProcessorCosts& costs) {
  file.unusual({"cores", "of one machine that holds all ranks; left out: each host's own"},
               costs.cores, 0, Between{1, 1 << 20});
  file.required(
      {"message_rate", "payload that a core's whole time moves, sender and receiver together"},
      costs.message_rate);
  file.required({"message_work", "core time of a message beside its bytes"}, costs.message_work);
  file.required({"message_latency", "from the sender's call to the receiver's, beside the wire"},
                costs.message_latency);
  file.preset(costs.crowded_latency, costs.message_latency);
  file.field({"crowded_latency", "the same while kernels have taken all cores"},
             costs.crowded_latency);
  file.unusual({"message_tail", "core time of a message between stages that delays no message"},
               costs.message_tail, Seconds{});
  file.unusual({"usable", "of the cores' time, what ranks get where they want all of it"},
               costs.usable, 1.0, Between{0.1, 1.0});
  // A share of nothing is not written.
  file.unusual(
      {"arrival_spread", "how much later the last rank comes where ranks are more than cores"},
      costs.arrival_spread, {0, costs.arrival_spread.most});
  origin(file, costs.source);
  file.unusual({"staging", "what a rank's own thread does for communications of a name"},
               costs.staging, {});
}

namespace {

void refuse_twice(JsonObject& json, const CommunicationCosts& costs) {
  CommunicationCosts before;
  for (const CollectiveCurve& curve : costs.curves) {
    const CurveQuery query{curve.kind,      curve.ranks,    curve.hosts,
                           curve.algorithm, curve.protocol, curve.network};
    if (curve_for(query, before) != nullptr)
      json.fail(at("curves", before.curves.size(), "ranks"),
                fmt::format("this collective among {} ranks has a curve already", curve.ranks));
    before.curves.push_back(curve);
  }
  for (const MessageCurve& curve : costs.messages) {
    if (message_curve_for(curve.network, before) != nullptr)
      json.fail(at("messages", before.messages.size(), "network"),
                "messages over it have a curve already");
    before.messages.push_back(curve);
  }
}

void refuse_twice(JsonObject& json, const std::vector<StagingCosts>& staging) {
  for (std::size_t i = 0; i < staging.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (staging[i].communication == staging[j].communication)
        json.fail(at("staging", i, "communication"),
                  "\"" + staging[i].communication + "\" is there already");
}

// A line for each curve, pair and row; the rest in the first.
std::string with_lines(const FieldWriter::Json& json) {
  std::string text = "{", lists;
  for (const auto& [key, value] : json.fields()) {
    if (!value.is_array()) {
      text += (text.size() == 1 ? "\"" : ",\"") + key + "\":" + value.dump();
      continue;
    }
    std::string lines;
    for (const FieldWriter::Json& each : value.elements())
      lines += (lines.empty() ? "\n      " : ",\n      ") + each.dump();
    lists += ",\n    \"" + key + "\": [" + lines + "\n    ]";
  }
  return text + lists + "}";
}

template <class Costs>
Costs read(JsonObject& json) {
  Costs costs;
  FieldReader reader(json);
  fields(reader, costs);
  return costs;
}

}  // namespace

CommunicationCosts read_communication(JsonObject& json) {
  CommunicationCosts costs = read<CommunicationCosts>(json);
  if (!json.failed()) refuse_twice(json, costs);
  return costs;
}

OverlapCosts read_overlap(JsonObject& json) {
  return read<OverlapCosts>(json);
}

ProcessorCosts read_processors(JsonObject& json) {
  ProcessorCosts costs = read<ProcessorCosts>(json);
  if (!json.failed()) refuse_twice(json, costs.staging);
  return costs;
}

std::string json_text(CommunicationCosts costs) {
  return with_lines(FieldWriter(Digits::exact).written(costs));
}

std::string json_text(OverlapCosts costs) {
  return with_lines(FieldWriter(Digits::exact).written(costs));
}

std::string json_text(ProcessorCosts costs) {
  return FieldWriter(Digits::exact).written(costs).dump();
}

JsonValue curve_fields(CollectiveCurve curve) {
  return FieldWriter(Digits::for_people).written(curve);
}

}  // namespace quintet
