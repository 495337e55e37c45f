// One class of ranks walking its script: which task may start when. Knows order and dependency
// (program.h, rules 1-3) and the CPU that issues work ahead of the GPU; knows nothing of time taken
// or of other ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/base/units.h"
#include "sim/cost/cost_table.h"
#include "sim/plan/host_net.h"
#include "sim/program/tasks.h"

namespace quintet {

// CPU time to issue each instruction of the table.
std::vector<Duration> issue_times(const InstructionTable& table, const LaunchCosts& launch,
                                  Launch mode);

class Actor {
 public:
  // References must outlive the actor; roles with one script share `list`. Of `launch`: how far the
  // CPU may run ahead, and what it does before it issues anything.
  Actor(const TaskList& list, const InstructionTable& table, const std::vector<Duration>& issue,
        const LaunchCosts& launch);

  const Task& task(std::int32_t number) const {
    return list_->tasks[static_cast<std::size_t>(number)];
  }

  // The task at the head of `lane` if all it depends on is done and the lane is free; its launch
  // may lie ahead.
  std::optional<std::int32_t> ready(std::size_t lane) const;
  // When the CPU has issued the task; nothing while the CPU itself is held up.
  std::optional<Instant> issued(std::int32_t number) const;

  void start(std::int32_t number);  // takes the head off its lane
  void finish(std::int32_t number,
              Instant now);  // frees the lane, lets successors and the CPU go on

  bool done() const { return finished_ == list_->tasks.size(); }
  std::size_t lanes() const { return heads_.size(); }
  std::optional<std::int32_t> head(std::size_t lane) const;
  // What holds the lane now.
  std::optional<std::int32_t> running(std::size_t lane) const;

 private:
  bool startable(std::int32_t number) const;
  void finish_unit(std::int32_t unit);
  void issue_ahead();
  std::optional<Instant> cpu_free_for(std::size_t number) const;

  const TaskList* list_;
  const InstructionTable* table_;
  const std::vector<Duration>* issue_;
  std::size_t queue_;

  std::vector<std::uint8_t> waits_;       // per task: unfinished instructions of its body before it
  std::vector<std::uint8_t> over_;        // per task: finished
  std::vector<std::int32_t> unit_waits_;  // per unit: unfinished units before it
  std::vector<std::int32_t> unit_left_;   // per unit: its unfinished tasks
  std::vector<std::size_t> heads_;        // per lane: position of its head
  std::vector<std::uint8_t> busy_;        // per lane
  std::size_t finished_ = 0;

  std::vector<Instant> issued_;  // per task, up to next_issue_
  std::size_t next_issue_ = 0;
  Instant cpu_;                        // when the CPU is free to issue again
  std::vector<Instant> finish_times_;  // per task: what a CPU that ran too far ahead waited for
};

}  // namespace quintet
