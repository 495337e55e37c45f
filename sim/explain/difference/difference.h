// Predicted against measured: where the difference of two steps of one program lies.
//
// Every measured rank is compared with the predicted track that shows it: the one of its rank, or,
// where a folded prediction shows one rank for several, the last one before it of its stage. Sums
// over ranks are means (mean_parts.h), integers like everything: each list that is said to make up
// the step sums to it exactly, on both sides, and so does its difference.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/explain/breakdown.h"
#include "sim/explain/difference/causes.h"
#include "sim/explain/difference/matched_spans.h"
#include "sim/timeline/timeline.h"

namespace quintet {

struct DifferencePart {
  std::string name;
  Compared time;
  bool operator==(const DifferencePart&) const = default;
};

struct RankDifference {
  Rank rank, shown_by;  // measured; of the predicted track
  int stage = 0;
  RankBreakdown predicted, measured;
};

// All ranks of a host: means, whose rows make up the step.
struct HostDifference {
  std::string host;
  RankBreakdown predicted, measured;
};

// All spans of one kind of work, mean over ranks; as long as they took, which several lanes do at
// once.
struct OperatorRatio {
  OperatorKind work = OperatorKind::norm;
  Phase phase = Phase::forward;
  std::int64_t spans = 0;  // matched, of all ranks together
  Compared time;
  std::optional<Duration> cpu;  // of the rank's own thread
  bool operator==(const OperatorRatio&) const = default;
};

// All spans of one communicating instruction likewise: while data moved, and while it waited.
struct CommunicationRatio {
  std::int32_t info = 0;
  std::int64_t spans = 0;
  Compared moving, waiting;
  bool operator==(const CommunicationRatio&) const = default;
};

// What of the step is on an instruction's account (SpanShare), mean over ranks; and where one span
// of it differs most.
struct InstructionDifference {
  std::int32_t info = 0;
  std::int64_t spans = 0;
  Compared time;
  Rank worst_rank;
  SpanKey worst;
  Compared worst_time;
};

enum class Side { predicted, measured };
struct UnmatchedSpan {
  Side only = Side::predicted;
  Rank rank;
  SpanKey key;
  Duration time;
};

// How long the measured compute spans took, and for how much of it a core ran the rank's thread;
// mean over ranks.
struct ThreadTime {
  Duration spans, ran;
  bool operator==(const ThreadTime&) const = default;
};

struct Difference {
  int ranks = 0;
  Compared step;
  RankBreakdown predicted, measured;      // means: their rows make up the step
  std::vector<DifferencePart> stack;      // by layer of the stack; make up the step
  std::vector<DifferencePart> layers;     // by layer of the model; make up the step
  std::vector<DifferencePart> axes;       // by work and axis; make up the step
  std::vector<RankDifference> per_rank;   // the rows of each make up the step
  std::vector<HostDifference> per_host;   // likewise; none: hosts are not known
  std::vector<Cause> causes;              // the largest difference first; make up the step
  std::vector<OperatorRatio> operators;   // the longest measured first
  std::vector<CommunicationRatio> moves;  // likewise, by how long data moved
  std::vector<InstructionDifference> instructions;  // the largest difference first
  std::vector<UnmatchedSpan> unmatched;             // by rank and key
  std::optional<ThreadTime> threads;
};

// Fails where the two are not of one program, or show other ranks; the error names no file.
Result<Difference> difference(const Timeline& predicted, const Timeline& measured);

}  // namespace quintet
