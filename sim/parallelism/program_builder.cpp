#include "sim/parallelism/program_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "sim/plan/delivery.h"
#include "sim/program/groups.h"

namespace quintet {

Grid grid_of(const Parallelism& parallelism) {
  Grid grid;
  for (const Axis axis : parallelism.order) grid.axes.push_back({axis, degree(parallelism, axis)});
  return grid;
}

std::vector<LaneInfo> standard_lanes(const Offload& offload) {
  std::vector<LaneInfo> lanes{{LaneKind::compute, "compute"},
                              {LaneKind::communication, "tensor"},
                              {LaneKind::communication, "gradients"},
                              {LaneKind::communication, "parameters"},
                              {LaneKind::communication, "send forward"},
                              {LaneKind::communication, "receive forward"},
                              {LaneKind::communication, "send backward"},
                              {LaneKind::communication, "receive backward"}};
  if (offload == Offload{}) return lanes;
  lanes.push_back({LaneKind::copy, "copy out"});
  lanes.push_back({LaneKind::copy, "copy in"});
  return lanes;
}

LaneId lane_of(LaneUse use) {
  return LaneId{static_cast<std::int32_t>(use)};
}

int message_delegates(const Plan& plan) {
  return std::max(1, stage_delegates(plan));
}

LaneId message_lane(LaneUse use, const Offload& offload, int delegate) {
  if (delegate == 0) return lane_of(use);
  constexpr int kinds = 4;
  const int standard = static_cast<int>(standard_lanes(offload).size());
  const int kind = lane_of(use).value - lane_of(LaneUse::send_forward).value;
  assert(kind >= 0 && kind < kinds);
  return LaneId{standard + (delegate - 1) * kinds + kind};
}

int BodyBuilder::append(Instruction instruction) {
  instruction.block = block_;
  body_.instructions.push_back(std::move(instruction));
  return static_cast<int>(body_.instructions.size()) - 1;
}

int BodyBuilder::compute(const Operator& work, std::vector<int> after) {
  const std::string name =
      std::string(name_of(kind_of(work.computation))) + " " + std::string(name_of(work.phase));
  last_compute_ = append({name, lane_of(LaneUse::compute), Compute{work}, std::move(after)});
  if (first_compute_ < 0) first_compute_ = last_compute_;
  return last_compute_;
}

int BodyBuilder::communicate(LaneUse lane, std::string name, Action action,
                             std::vector<int> after) {
  return communicate(lane_of(lane), std::move(name), std::move(action), std::move(after));
}

int BodyBuilder::communicate(LaneId lane, std::string name, Action action, std::vector<int> after) {
  return append({std::move(name), lane, std::move(action), std::move(after)});
}

int BodyBuilder::copy(std::string name, const Copy& what, std::vector<int> after) {
  const bool out = what.direction == CopyDirection::device_to_host;
  return append({std::move(name), lane_of(out ? LaneUse::copy_out : LaneUse::copy_in), what,
                 std::move(after)});
}

std::vector<int> BodyBuilder::first_compute() const {
  return first_compute_ < 0 ? std::vector<int>{} : std::vector<int>{first_compute_};
}

std::vector<int> BodyBuilder::last_compute() const {
  return last_compute_ < 0 ? std::vector<int>{} : std::vector<int>{last_compute_};
}

ProgramBuilder::ProgramBuilder(const Plan& plan, int ranks_per_host) {
  const Parallelism& parallelism = plan.parallelism;
  program_.grid = grid_of(parallelism);
  program_.lanes = standard_lanes(parallelism.offload);
  for (int delegate = 1; delegate < message_delegates(plan); ++delegate)
    for (const char* const kind :
         {"send forward", "receive forward", "send backward", "receive backward"})
      program_.lanes.push_back({LaneKind::communication, fmt::format("{} {}", kind, delegate)});
  const int group = shard_ranks(parallelism);
  const bool hybrid = group < parallelism.data;
  const AxisPart shards{Axis::data, hybrid ? group : 0, 1};
  add_group(GroupUse::tensor, {"tensor", {{Axis::tensor}}, {}});
  add_group(GroupUse::data, {hybrid ? "shards" : "data", {shards}, {}});
  if (hybrid)
    add_group(GroupUse::replicas,
              {"replicas", {{Axis::data, parallelism.data / group, group}}, {}});
  if (parallelism.pipeline > 1)
    add_group(GroupUse::embedding,
              {"embedding", {{Axis::pipeline}}, {0, parallelism.pipeline - 1}});
  Communicator model{"model", {{Axis::tensor}, {Axis::pipeline}}, {}};
  const bool reduced_to_shares =
      parallelism.sharding != Sharding::none && parallelism.clipping == Clipping::after_reduction;
  if (reduced_to_shares) model.parts.push_back(shards);
  add_group(GroupUse::model, model);
  if (parallelism.loss_scaling && parallelism.clipping != Clipping::after_reduction) {
    model.name = "updated";
    if (parallelism.sharding != Sharding::none) model.parts.push_back(shards);
    add_group(GroupUse::updated, std::move(model));
  }
  if (const int presort = presort_ranks(parallelism, ranks_per_host); presort > 1)
    add_group(GroupUse::samples, {"samples", {{Axis::data, presort, 1}}, {}});
  if (parallelism.optimizer != Optimizer::lamb) return;
  Communicator stage{"stage", {{Axis::tensor}}, {}};
  if (parallelism.sharding != Sharding::none) stage.parts.push_back(shards);
  add_group(GroupUse::stage, std::move(stage));
}

void ProgramBuilder::add_group(GroupUse use, Communicator communicator) {
  if (group_size(program_.grid, communicator) < 2) return;
  uses_.push_back(use);
  program_.communicators.push_back(std::move(communicator));
}

CommunicatorId ProgramBuilder::group(GroupUse use) const {
  const auto found = std::find(uses_.begin(), uses_.end(), use);
  assert(found != uses_.end());
  return id_at<CommunicatorId>(static_cast<std::size_t>(found - uses_.begin()));
}

int ProgramBuilder::group_ranks(GroupUse use) const {
  const auto found = std::find(uses_.begin(), uses_.end(), use);
  if (found == uses_.end()) return 1;
  return group_size(program_.grid,
                    program_.communicators[static_cast<std::size_t>(found - uses_.begin())]);
}

BodyId ProgramBuilder::add(Body body) {
  const auto found = std::find(program_.bodies.begin(), program_.bodies.end(), body);
  if (found != program_.bodies.end())
    return id_at<BodyId>(static_cast<std::size_t>(found - program_.bodies.begin()));
  program_.bodies.push_back(std::move(body));
  return id_at<BodyId>(program_.bodies.size() - 1);
}

}  // namespace quintet
