#include "sim/program/forward_only.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace quintet {

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
  Cut(Program program, ForwardOf which) : made_(std::move(program)), which_(which) {
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
      kept[at] = (which_ == ForwardOf::every_micro_batch || calls[at].micro_batch == 0) &&
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
  ForwardOf which_;
  BodyId nothing_;
  std::map<std::size_t, BodyId> loss_;  // by the number of the whole backward body
};

}  // namespace

Program forward_only(const Program& program, ForwardOf which) {
  return Cut(program, which).made();
}

}  // namespace quintet
