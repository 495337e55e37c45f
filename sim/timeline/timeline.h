// What happened, or what is predicted to happen: one span per instruction, rank and time. The
// common output of the simulator and the engine, with the same instruction names, so that comparing
// needs no mapping.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/units.h"
#include "sim/model/operator.h"
#include "sim/plan/parallelism.h"
#include "sim/plan/plan_deviation.h"

namespace quintet {

enum class SpanKind { compute, collective, send, receive, copy, host };
std::string_view name_of(SpanKind kind);

constexpr bool is_communication(SpanKind kind) {
  return kind == SpanKind::collective || kind == SpanKind::send || kind == SpanKind::receive;
}

// What a span is, shared by all spans of one instruction of one body.
struct SpanInfo {
  std::string name;  // the instruction's
  SpanKind kind = SpanKind::compute;
  OperatorKind work = OperatorKind::norm;  // compute only
  Phase phase = Phase::forward;            // compute only
  Axis axis = Axis::data;  // communication only: the axis (its first part's) it serves
  Bytes size;              // communication and copies
  int lane = 0;            // index into Timeline::lanes
  std::string detail;      // "ring LL128, 16 channels", for the reader of a trace
  bool operator==(const SpanInfo&) const = default;
};

struct Span {
  std::int32_t info = 0;   // index into Timeline::infos
  std::int32_t track = 0;  // index into Timeline::tracks
  Instant start;           // the lane took the instruction up
  Instant moving;  // communication: all peers had arrived and data began to move; otherwise = start
  Instant end;
  std::int32_t layer = -1;
  std::int32_t micro_batch = -1;
  std::int16_t chunk = 0;
  std::int16_t bucket = -1;
  std::int32_t flow = -1;  // the same number on a send and its receive; -1: other side not shown
  bool operator==(const Span&) const = default;
};

// A rank, or several that did the same at the same time (a folded simulation shows one of them).
struct Track {
  Rank rank;      // the one shown
  int ranks = 1;  // how many it stands for
  int stage = 0;
  std::string role;
  std::string host;  // of the rank shown; empty: not known
  bool operator==(const Track&) const = default;
};

// A gap on the compute lane whose cause was the CPU: the next kernel's launch had not been issued.
struct HostGap {
  std::int32_t track = 0;
  Instant start, end;
  bool operator==(const HostGap&) const = default;
};

struct StepTime {
  int step = 0;  // counted by the run
  Duration time;
  // What all ranks' processes had of processors from the end of the step before on; 0: not known.
  Duration processors{};
  bool operator==(const StepTime&) const = default;
};

// How a device's times were come by, and what that cost. Of all ranks together but for the steps'
// times, which are rank 0's.
struct Recording {
  std::string by;       // "CUPTI 13.0.1"
  std::string instead;  // why it was not what was asked for; empty: it was
  int steps_with = 0, steps_without = 0;
  Duration with, without;     // the median of so many steps each; 0 of none
  Duration cost;              // that recording took of the host's threads, by its own records
  std::int64_t pieces = 0;    // kernels, copies and fills that were recorded
  std::int64_t in_spans = 0;  // that instructions are known to have asked for
  std::int64_t lost = 0;      // that there was no room for, no time of, or nobody known who asked
  bool operator==(const Recording&) const = default;
};

// How a measured timeline came about.
struct Measurement {
  int step = 0;                 // the one shown
  std::vector<StepTime> steps;  // all that were measured, in order
  Duration clock_bound;         // instants of two ranks are at most so far from their true distance
  std::vector<PlanDeviation> deviations;
  std::optional<Recording> recording{};  // none: the host's own times
  bool operator==(const Measurement&) const = default;
};

// Why spans began when they did: what they had to wait for, and who takes part in collectives. For
// whoever replays a timeline (traces/workload); with_causes() finds it (causes_of_spans.h).
struct SpanCauses {
  // Per span, those of its track that it had to wait for beside the one before it on its lane:
  // their positions among the track's spans.
  std::vector<std::vector<std::int32_t>> after;
  std::vector<std::int32_t> group;  // per span: index into `groups`; -1: it is no collective
  std::vector<std::int32_t> use;  // per span: which of its rank's collectives of that group; or -1
  std::vector<std::vector<Rank>> groups;
  bool operator==(const SpanCauses&) const = default;
};

struct Timeline {
  std::string name;
  std::vector<std::string> lanes;
  std::vector<Track> tracks;
  std::vector<SpanInfo> infos;
  std::vector<Span> spans;         // by track, then in order of start
  std::vector<HostGap> host_gaps;  // by track, then in order of start
  Instant end;                     // of the step, on every rank
  // Per span, what the rank's own thread computed in it (ranks may share cores); empty: not known.
  std::vector<Duration> cpu;
  // Per span, what was seen in it, for the reader of a trace ("3 pieces, busy 4.1 us, longest
  // gemm"); empty: nothing of any.
  std::vector<std::string> notes;
  std::optional<Measurement> measurement;  // none: predicted
  std::optional<SpanCauses> causes{};      // none: not known
  bool operator==(const Timeline&) const = default;
};

}  // namespace quintet
