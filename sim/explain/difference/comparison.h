// The sums behind a Difference: what each pair of spans brings, rank by rank.
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/explain/difference/difference.h"
#include "sim/explain/mean_parts.h"

namespace quintet {

struct Sums {
  RankTime predicted = 0, measured = 0;
};

struct CommunicationSums {
  Sums moving, waiting;
  std::int64_t spans = 0;
};

struct InstructionSums {
  Sums time;
  std::int64_t spans = 0;
  Rank worst_rank;
  SpanKey worst;
  Compared worst_time;
};

struct OperatorSums {
  Sums time;
  RankTime cpu = 0;
  std::int64_t spans = 0;
};

class Comparison {
 public:
  // Both must outlive it.
  Comparison(const Timeline& predicted, const Timeline& measured);

  void add_rank(std::size_t predicted_track, std::size_t measured_track);
  void finish(Difference& into) const;  // all but the step, the breakdowns and the stack

 private:
  void add_pair(const SpanPair& pair, const Track& track);
  void add_matched(const SpanPair& pair, const Track& track);
  void add_compute(const SpanInfo& info, const SpanPair& pair, int ranks);
  void add_communication(const SpanPair& pair, int ranks);
  void add_unmatched(const SpanPair& pair, const Track& track);
  void add_axis(const SpanPair& pair, int ranks);
  void finish_parts(const std::vector<std::pair<std::string, Sums>>& sums, const Compared& step,
                    std::vector<DifferencePart>& into) const;
  void finish_layers(Difference& into) const;
  void finish_axes(Difference& into) const;
  void finish_operators(Difference& into) const;
  void finish_moves(Difference& into) const;
  void finish_instructions(Difference& into) const;

  Duration predicted_share(const SpanPair& pair) const;
  Duration measured_share(const SpanPair& pair) const;

  const Timeline& predicted_;
  const Timeline& measured_;
  std::vector<SpanShare> predicted_shares_, measured_shares_;
  std::vector<std::vector<std::size_t>> predicted_spans_, measured_spans_;
  RankTime ranks_ = 0;
  std::map<std::int32_t, Sums> layers_;
  // By kind of work: 0 computing, 2 copies, 3 host work; 1: by axis, moving (0) and waiting (1).
  std::map<std::array<int, 3>, Sums> axes_;
  std::map<std::pair<OperatorKind, Phase>, OperatorSums> operators_;
  std::map<std::int32_t, CommunicationSums> moves_;
  std::map<std::int32_t, InstructionSums> instructions_;
  std::vector<UnmatchedSpan> unmatched_;
};

}  // namespace quintet
