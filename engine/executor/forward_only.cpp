#include "engine/executor/forward_only.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>
#include <vector>

#include "engine/executor/rank_executor.h"
#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

bool sends_activation(const Instruction& instruction) {
  if (const auto* const send = std::get_if<Send>(&instruction.action))
    return send->payload == Payload::activation;
  if (const auto* const receive = std::get_if<Receive>(&instruction.action))
    return receive->payload == Payload::activation;
  return false;
}

bool finds_loss(const Instruction& instruction) {
  const auto* const compute = std::get_if<Compute>(&instruction.action);
  return compute != nullptr && compute->work.computation == Computation::cross_entropy;
}

bool is_forward(const Body& body) {
  const auto& all = body.instructions;
  switch (body.kind) {
    case BodyKind::embedding:
    case BodyKind::layer:
    case BodyKind::head:
      return body.phase == Phase::forward;
    case BodyKind::other:
      return std::any_of(all.begin(), all.end(), sends_activation);
    case BodyKind::prepare_gradients:
    case BodyKind::keep_gradients:
    case BodyKind::sum_gradients:
    case BodyKind::gather_weights:
      return false;
  }
  return false;
}

// Empty where it finds no loss. What it waited for is over: forward is.
Body loss_of(const Body& backward) {
  Body kept = backward;
  kept.instructions.clear();
  for (Instruction instruction : backward.instructions)
    if (finds_loss(instruction)) {
      instruction.after.clear();
      kept.instructions.push_back(std::move(instruction));
    }
  return kept;
}

class Cut {
 public:
  explicit Cut(Program program) : made_(std::move(program)) {
    const std::size_t bodies = made_.bodies.size();
    nothing_ = add({"left out", {}});
    for (std::size_t number = 0; number < bodies; ++number) {
      const Body body = made_.bodies[number];
      if (body.kind == BodyKind::head && body.phase != Phase::forward)
        if (Body loss = loss_of(body); !loss.instructions.empty())
          loss_[number] = add(std::move(loss));
    }
  }

  Program made() && {
    for (Role& role : made_.roles) cut(role.script.calls);
    return std::move(made_);
  }

 private:
  BodyId add(Body body) {
    made_.bodies.push_back(std::move(body));
    return id_at<BodyId>(made_.bodies.size() - 1);
  }
  const Body& body(const Call& call) const { return made_.bodies[call.body.index()]; }

  void cut(std::vector<Call>& calls) const {
    std::vector<bool> kept(calls.size());
    for (std::size_t at = 0; at < calls.size(); ++at)
      kept[at] = calls[at].micro_batch == 0 &&
                 (is_forward(body(calls[at])) || loss_.contains(calls[at].body.index()));
    // A call waits for earlier ones only: from the last on, gathers of gathers are found too.
    for (std::size_t at = calls.size(); at-- > 0;)
      for (const int before : calls[at].after)
        if (kept[at] &&
            body(calls[static_cast<std::size_t>(before)]).kind == BodyKind::gather_weights)
          kept[static_cast<std::size_t>(before)] = true;
    for (std::size_t at = 0; at < calls.size(); ++at) reduce(calls[at], kept, kept[at]);
  }

  void reduce(Call& call, const std::vector<bool>& kept, bool stays) const {
    std::erase_if(call.after,
                  [&](int before) { return !stays || !kept[static_cast<std::size_t>(before)]; });
    if (!stays) {
      call.body = nothing_;
      call.layers = 1;
      return;
    }
    if (const auto loss = loss_.find(call.body.index()); loss != loss_.end())
      call.body = loss->second;
  }

  Program made_;
  BodyId nothing_;
  std::map<std::size_t, BodyId> loss_;  // by the number of the whole backward body
};

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

Program forward_only(const Program& program) {
  return Cut(program).made();
}

Ticket ForwardBackend::start(const CollectiveCall& call) {
  constexpr std::uint64_t far = std::uint64_t{1} << 48;
  CollectiveCall here = call;
  if (here.use) here.use = *here.use + far;
  return steps_.start(here);
}

Result<double> RankExecutor::forward_loss(const StepInput& input) {
  assert(!place_->on_device() && input.micro_batches.size() == 1);
  if (!forward_) {
    forward_.reset(new ForwardPass{forward_only(input_.program), ForwardBackend(*backend_), {}});
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
