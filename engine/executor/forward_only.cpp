#include "engine/executor/forward_only.h"

#include <cassert>
#include <utility>
#include <vector>

#include "engine/executor/rank_executor.h"
#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

Model without_dropout(Model model) {
  model.dropout = model.attention_dropout = 0;
  return model;
}

// By section. A pass rolls what delayed scaling has seen as a step does, but is no step of
// training.
using Histories = std::vector<std::vector<float>>;

Histories histories(Float8Maxima& maxima, const ParameterLayout& layout) {
  Histories kept;
  if (maxima.length() == 0) return kept;
  for (std::size_t section = 0; section < layout.sections().size(); ++section)
    kept.push_back(maxima.history(static_cast<int>(section)));
  return kept;
}

void restore(const Histories& kept, Float8Maxima& maxima) {
  for (std::size_t section = 0; section < kept.size(); ++section)
    maxima.set_history(static_cast<int>(section), kept[section]);
}

}  // namespace

Ticket ForwardBackend::start(const CollectiveCall& call) {
  constexpr std::uint64_t far = std::uint64_t{1} << 48;
  CollectiveCall here = call;
  if (here.use) here.use = *here.use + far;
  return steps_.start(here);
}

Result<double> RankExecutor::forward_loss(const StepInput& input) {
  assert(!place_->on_device() && input.micro_batches.size() == 1);
  if (!forward_) {
    forward_.reset(
        new ForwardPass{quintet::forward_only(input_.program, ForwardOf::first_micro_batch),
                        ForwardBackend(*backend_),
                        {}});
    const Program& program = forward_->program;
    const Role& role = program.roles[role_of(program.grid, input_.rank).index()];
    forward_->walker = std::make_unique<Walker>(program, role, input_.rank, *work_,
                                                forward_->backend, *place_, MayKeep::no);
  }
  const Model trained = std::exchange(shape_.model, without_dropout(shape_.model));
  const Histories seen = histories(float8_maxima(), *layout_);
  double loss = 0;
  const auto wrong = attempted([&]() -> std::optional<Error> {
    if (auto failed = forward_->walker->queue(input, Clock::now())) return failed;
    const Result<WalkedStep> walked = forward_->walker->finish();
    if (!walked) return walked.error();
    loss = walked->result.loss_sum;
    return std::nullopt;
  });
  shape_.model = trained;
  work_->drop_activations();
  restore(seen, float8_maxima());
  if (wrong) return *wrong;
  return loss;
}

}  // namespace quintet::engine
