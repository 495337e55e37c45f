#include "traces/simai/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace quintet::simai {

std::int32_t ScheduleBuilder::info(const SpanInfo& info) {
  // Rows of one name follow each other closely: the last few suffice, and an info told twice is
  // no mistake.
  constexpr std::size_t looked_at = 64;
  std::vector<SpanInfo>& infos = schedule_.infos;
  for (std::size_t i = infos.size(); i > 0 && i + looked_at > infos.size(); --i)
    if (infos[i - 1] == info) return static_cast<std::int32_t>(i - 1);
  infos.push_back(info);
  return static_cast<std::int32_t>(infos.size() - 1);
}

int ScheduleBuilder::lane(LaneKind kind, const std::string& name) {
  std::vector<LaneInfo>& lanes = schedule_.lanes;
  const auto found = std::find(lanes.begin(), lanes.end(), LaneInfo{kind, name});
  if (found != lanes.end()) return static_cast<int>(found - lanes.begin());
  lanes.push_back({kind, name});
  return static_cast<int>(lanes.size() - 1);
}

std::int32_t ScheduleBuilder::add(const SpanInfo& what, Duration work,
                                  std::vector<std::int32_t> after) {
  Step& step = schedule_.steps.emplace_back();
  step.info = info(what);
  step.work = work;
  step.layer = layer_;
  step.micro_batch = micro_batch_;
  step.after = std::move(after);
  return static_cast<std::int32_t>(schedule_.steps.size() - 1);
}

void ScheduleBuilder::compute(const std::string& name, Phase phase, Duration time) {
  if (time <= Duration{}) return;
  SpanInfo what;
  what.work = OperatorKind::kernel;
  what.name = name;
  what.phase = phase;
  what.lane = lane(LaneKind::compute, "compute");
  ready_ = {add(what, time, ready_)};
}

void ScheduleBuilder::update(const std::string& name, Duration time, std::int32_t step) {
  if (time <= Duration{}) return;
  SpanInfo what;
  what.name = name;
  what.phase = Phase::update;
  what.work = OperatorKind::optimizer_update;
  what.lane = lane(LaneKind::compute, "update");
  add(what, time, step < 0 ? ready_ : std::vector{step});
}

void ScheduleBuilder::host(const std::string& name, Duration time, const std::string& detail) {
  SpanInfo what;
  what.name = name;
  what.kind = SpanKind::host;
  what.detail = detail;
  what.lane = lane(LaneKind::host, "host");
  ready_ = {add(what, std::max(time, Duration{}), ready_)};
}

std::int32_t ScheduleBuilder::collective(const std::string& name, CollectiveKind kind,
                                         StageGroup group, Bytes size, std::int32_t follows) {
  if (size <= Bytes{}) return ++schedule_.empty, -1;
  if (size_of(group, shape_) < 2) return ++schedule_.alone, -1;
  SpanInfo what;
  what.name = fmt::format("{} {}", quintet::name_of(kind), name);
  what.kind = SpanKind::collective;
  what.axis = axis_of(group);
  what.size = size;
  what.lane = lane(LaneKind::communication, simai::name_of(group));
  const std::int32_t step = add(what, Duration{-1}, follows < 0 ? ready_ : std::vector{follows});
  schedule_.steps.back().group = group;
  schedule_.steps.back().collective = kind;
  return step;
}

void ScheduleBuilder::wait(std::int32_t step) {
  if (step < 0) return;
  // What it waited for is over with it.
  const std::vector<std::int32_t>& after = schedule_.steps[static_cast<std::size_t>(step)].after;
  if (after == ready_) ready_.clear();
  ready_.push_back(step);
}

void ScheduleBuilder::took(std::int32_t step, Duration time) {
  if (step >= 0) schedule_.steps[static_cast<std::size_t>(step)].work = time;
}

namespace {

constexpr std::size_t most_held = 1'000'000;  // tasks of all ranks; 100 MB
constexpr std::size_t most_steps = 12'000'000;

WorkloadRank rank_of(const Schedule& schedule, const StageGroups& groups, int number) {
  WorkloadRank rank;
  rank.rank = Rank{number};
  rank.tasks.reserve(schedule.steps.size());
  rank.after_begin.reserve(schedule.steps.size() + 1);
  std::array<std::int64_t, stage_groups> sequence{};
  for (const Step& step : schedule.steps) {
    WorkloadTask& task = rank.tasks.emplace_back();
    task.info = step.info;
    task.work = step.work;
    task.layer = step.layer;
    task.micro_batch = step.micro_batch;
    rank.after.insert(rank.after.end(), step.after.begin(), step.after.end());
    rank.after_begin.push_back(static_cast<std::int32_t>(rank.after.size()));
    if (!step.group) continue;
    task.peers = static_cast<std::int32_t>(rank.peers.size());
    rank.peers.push_back({step.collective, DataType::bf16, groups.of(*step.group, number),
                          sequence[static_cast<std::size_t>(*step.group)]++});
  }
  return rank;
}

}  // namespace

std::optional<Error> too_much(std::size_t steps, const std::string& where) {
  if (steps <= most_steps) return {};
  return Error{where,
               fmt::format("has {} tasks of each rank; expected at most {}", steps, most_steps)};
}

namespace {

std::array<bool, stage_groups> groups_used(const Schedule& schedule) {
  std::array<bool, stage_groups> used{};
  for (const Step& step : schedule.steps)
    if (step.group) used[static_cast<std::size_t>(*step.group)] = true;
  return used;
}

}  // namespace

Result<Workload> for_ranks(const Schedule& schedule, const StageShape& shape,
                           const std::string& where) {
  if (auto wrong = too_much(schedule.steps.size(), where)) return *wrong;
  const bool all = schedule.steps.size() * static_cast<std::size_t>(shape.ranks) <= most_held;
  const int here = all ? shape.ranks : 1;
  const StageGroups groups(shape, groups_used(schedule), here);
  Workload workload;
  workload.world_size = shape.ranks;
  workload.lanes = schedule.lanes;
  workload.infos = schedule.infos;
  workload.groups = groups.all();
  for (int rank = 0; rank < here; ++rank) workload.ranks.push_back(rank_of(schedule, groups, rank));
  if (!all)
    workload.remarks.push_back({fmt::format(
        "all {} ranks do the same {} tasks: rank 0's are here, the others are known as members of "
        "its groups",
        shape.ranks, schedule.steps.size())});
  if (schedule.alone > 0)
    workload.remarks.push_back(
        {fmt::format("{} collectives of each rank are of a group of one rank: they are left out",
                     schedule.alone)});
  if (schedule.empty > 0)
    workload.remarks.push_back({fmt::format(
        "{} collectives of each rank move 0 bytes: they are left out", schedule.empty)});
  return workload;
}

}  // namespace quintet::simai
