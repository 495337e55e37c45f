// What one rank of a stage does, before it is copied to all its ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "traces/simai/layer_rows.h"
#include "traces/simai/rank_groups.h"
#include "traces/workload/workload.h"

namespace quintet::simai {

struct Step {
  std::int32_t info = 0;
  Duration work{-1};
  std::int32_t layer = -1, micro_batch = -1;
  std::vector<std::int32_t> after;  // steps
  std::optional<StageGroup> group;  // of collectives
  CollectiveKind collective = CollectiveKind::all_reduce;
};

struct Schedule {
  std::vector<LaneInfo> lanes;
  std::vector<SpanInfo> infos;
  std::vector<Step> steps;
  std::int64_t alone = 0, empty = 0;  // collectives of one rank, and of 0 bytes: left out
};

// Puts a schedule together in the order in which one thread would walk it.
class ScheduleBuilder {
 public:
  explicit ScheduleBuilder(const StageShape& shape) : shape_(shape) {}

  void about(std::int32_t layer, std::int32_t micro_batch) {
    layer_ = layer;
    micro_batch_ = micro_batch;
  }
  // What follows waits for it. Of no time: no step.
  void compute(const std::string& name, Phase phase, Duration time);
  // After all so far, or after the step `follows`; what comes next does not wait. The step; -1: it
  // was left out.
  std::int32_t collective(const std::string& name, CollectiveKind kind, StageGroup group,
                          Bytes size, std::int32_t follows = -1);
  // After `step` (-1: after all so far), beside what follows.
  void update(const std::string& name, Duration time, std::int32_t step);
  // What follows waits for it.
  void wait(std::int32_t step);
  void host(const std::string& name, Duration time, const std::string& detail);
  void took(std::int32_t step, Duration time);  // a collective, by itself

  Schedule take() { return std::move(schedule_); }
  std::size_t size() const { return schedule_.steps.size(); }

 private:
  std::int32_t add(const SpanInfo& info, Duration work, std::vector<std::int32_t> after);
  std::int32_t info(const SpanInfo& info);
  int lane(LaneKind kind, const std::string& name);

  StageShape shape_;
  Schedule schedule_;
  std::vector<std::int32_t> ready_;  // what the next waits for
  std::int32_t layer_ = -1, micro_batch_ = -1;
};

// What so many steps of each of so many ranks are too much to hold for; nothing: they are not.
std::optional<Error> too_much(std::size_t steps, int ranks, const std::string& where);

// Copies it to all ranks of the stage. Fails where that is too much to hold.
Result<Workload> for_all_ranks(const Schedule& schedule, const StageShape& shape,
                               const std::string& where);

// The rows in the order of their policy. Fails at policies whose groups the text does not tell, and
// at recomputation with nothing to begin from.
Result<Schedule> schedule_of(const LayerText& layers, const StageShape& shape,
                             const std::string& where);

}  // namespace quintet::simai
