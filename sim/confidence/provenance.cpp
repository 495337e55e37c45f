#include "sim/confidence/provenance.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/base/result.h"
#include "sim/cost/priced_by.h"
#include "sim/program/tasks.h"

namespace quintet {

namespace {

using Work = std::pair<OperatorKind, Phase>;

struct Basis {
  StepSource source = StepSource::memory_bound;
  Evidence evidence = Evidence::guessed;
};

StepSource source_of_shape(const PricedOperator& work) {
  return std::visit(Match{[](const GemmShape&) { return StepSource::products; },
                          [](const AttentionShape& shape) {
                            return shape.kernel == AttentionKernel::flash ? StepSource::attention
                                                                          : StepSource::products;
                          },
                          [](const MemoryShape&) { return StepSource::memory_bound; },
                          [](const ProfiledShape&) { return StepSource::profiled; }},
                    work.shape);
}

// The first shape of a kind and phase speaks for all.
std::map<Work, Basis> bases_of_work(const Program& program, const CostTable& costs) {
  std::map<Work, Basis> all;
  for (const Instruction* const instruction : all_instructions(program))
    if (const auto* const compute = std::get_if<Compute>(&instruction->action)) {
      const PricedOperator work = as_priced(compute->work);
      const auto [basis, fresh] = all.try_emplace(Work{work.kind, work.phase});
      if (!fresh) continue;
      basis->second = {source_of_shape(work), priced_by(work, costs).evidence};
      for (const CostTable& other : costs.other_gpus)
        basis->second.evidence = std::max(basis->second.evidence, priced_by(work, other).evidence);
    }
  return all;
}

class Adding {
 public:
  explicit Adding(Duration step) : step_(step) {}

  void add(StepSource source, Evidence evidence, double share) {
    of(source).share += share;
    of(source).by_evidence[static_cast<std::size_t>(evidence)] += share;
    made_.by_evidence[static_cast<std::size_t>(evidence)] += share;
  }
  void add(StepSource source, Evidence evidence, Duration time) {
    add(source, evidence, share_of(time));
  }
  void follows(Duration time) {
    of(StepSource::follows).share += share_of(time);
    made_.follows += share_of(time);
  }
  double share_of(Duration time) const {
    return step_ > Duration{} ? seconds(time) / seconds(step_) : 0;
  }
  Provenance made() && {
    for (const auto& [source, share] : shares_)
      if (share.share > 0) made_.sources.push_back(share);
    return std::move(made_);
  }

 private:
  SourceShare& of(StepSource source) {
    SourceShare& share = shares_[source];
    share.source = source;
    return share;
  }

  Duration step_;
  std::map<StepSource, SourceShare> shares_;
  Provenance made_;
};

// An axis that nothing was noted of takes its time between hosts, by a guess.
void add_moves(Axis axis, Duration time, const std::vector<MoveBasis>& moves, Adding& into) {
  Seconds whole;
  for (const MoveBasis& each : moves)
    if (each.axis == axis) whole += each.time;
  if (whole <= Seconds{})
    return into.add(StepSource::between_hosts, Evidence::guessed, into.share_of(time));
  for (const MoveBasis& each : moves)
    if (each.axis == axis)
      into.add(each.between_hosts ? StepSource::between_hosts : StepSource::inside_hosts,
               each.evidence, into.share_of(time) * (each.time / whole));
}

}  // namespace

std::string_view name_of(StepSource source) {
  switch (source) {
    case StepSource::products:
      return "products (GEMM)";
    case StepSource::attention:
      return "attention";
    case StepSource::memory_bound:
      return "memory-bound kernels";
    case StepSource::profiled:
      return "profiled stages";
    case StepSource::inside_hosts:
      return "communication inside hosts";
    case StepSource::between_hosts:
      return "communication between hosts";
    case StepSource::copies:
      return "copies";
    case StepSource::launches:
      return "late launches";
    case StepSource::follows:
      return "bubbles and waiting";
  }
  return {};
}

Provenance provenance(const Program& program, const RankBreakdown& mean, const CostTable& costs,
                      const std::vector<MoveBasis>& moves) {
  const std::map<Work, Basis> known = bases_of_work(program, costs);
  Adding adding(mean.step);
  for (const OperatorTime& time : mean.operators) {
    const auto found = known.find({time.work, time.phase});
    const Basis basis = found == known.end() ? Basis{} : found->second;
    adding.add(basis.source, basis.evidence, time.time);
  }
  for (std::size_t axis = 0; axis < axis_count; ++axis)
    if (mean.exposed[axis] > Duration{})
      add_moves(static_cast<Axis>(axis), mean.exposed[axis], moves, adding);
  adding.add(StepSource::copies, costs.copy.evidence, mean.copy);
  // Ranks on processors had the host's times measured with the rest.
  adding.add(StepSource::launches, costs.processors ? Evidence::measured : costs.launch.evidence,
             mean.host);
  adding.follows(mean.bubble + mean.waiting + mean.idle);
  return std::move(adding).made();
}

}  // namespace quintet
