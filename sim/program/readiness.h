// What may start: one rank's way through its tasks, by rules 1 to 3 of program.h. Knows no time and
// no other rank: an executor asks what is ready, says what it starts, and says when that is over,
// by whatever clock it has.
//
//   Readiness step(list, table);
//   while (!step.done())
//     for (std::size_t lane = 0; lane < step.lanes(); ++lane)
//       if (const auto task = step.ready(lane)) {
//         step.start(*task);   // the lane is taken
//         step.finish(*task);  // the lane is free, and whoever waited for no more than this is
//         ready
//       }
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/program/tasks.h"

namespace quintet {

class Readiness {
 public:
  // Both must outlive this; roles with one script share `list`.
  Readiness(const TaskList& list, const InstructionTable& table);

  const TaskList& list() const { return *list_; }
  const Task& task(std::int32_t number) const { return list_->task(number); }

  // The head of the lane if the lane is free and all that the head waits for is over.
  std::optional<std::int32_t> ready(std::size_t lane) const {
    const Lane& asked = lanes_[lane];
    if (asked.busy || asked.head == asked.end) return std::nullopt;
    const std::int32_t first = *asked.head;
    if (waits_[static_cast<std::size_t>(first)] > 0) return std::nullopt;
    if (unit_waits_[static_cast<std::size_t>(task(first).unit)] > 0) return std::nullopt;
    return first;
  }
  // The first lane from this one on that has a ready head; lanes() where none has.
  std::size_t next_ready(std::size_t lane) const {
    if (lane < marked_lanes) {
      if (const std::uint64_t left = ready_ >> lane; left != 0)
        return lane + static_cast<std::size_t>(std::countr_zero(left));
      lane = marked_lanes;
    }
    while (lane < lanes() && !ready(lane)) ++lane;
    return std::min(lane, lanes());
  }
  void start(std::int32_t number) {  // a ready one: takes it off its lane
    const auto lane = static_cast<std::size_t>(task(number).lane);
    Lane& taken = lanes_[lane];
    ++taken.head;
    taken.busy = true;
    look_at(lane);
    unit_started_[static_cast<std::size_t>(task(number).unit)] = 1;
  }
  void finish(std::int32_t number);  // frees the lane, lets others go on

  bool over(std::int32_t number) const { return over_[static_cast<std::size_t>(number)] != 0; }
  bool begins_unit(std::int32_t number) const;  // none of its unit has started
  bool ends_unit(std::int32_t number) const;    // all of its unit are over
  bool done() const { return finished_ == list_->tasks.size(); }

  std::size_t lanes() const { return lanes_.size(); }
  // The next one of the lane, ready or not.
  std::optional<std::int32_t> head(std::size_t lane) const;
  // What holds the lane now.
  std::optional<std::int32_t> running(std::size_t lane) const;

 private:
  // In flat arrays: a step has millions of tasks.
  const TaskList* list_;
  const InstructionTable* table_;
  std::vector<std::uint8_t> waits_;         // per task: unfinished ones of its unit before it
  std::vector<std::uint8_t> over_;          // per task
  std::vector<std::int32_t> unit_waits_;    // per unit: unfinished units before it
  std::vector<std::int32_t> unit_left_;     // per unit: its unfinished tasks
  std::vector<std::uint8_t> unit_started_;  // per unit
  struct Lane {
    const std::int32_t* head = nullptr;  // in the list's
    const std::int32_t* end = nullptr;
    bool busy = false;
  };
  static constexpr std::size_t marked_lanes = 64;  // most programs have ten
  void look_at(std::size_t lane) {
    if (lane >= marked_lanes) return;
    const std::uint64_t bit = std::uint64_t{1} << lane;
    ready_ = ready(lane) ? ready_ | bit : ready_ & ~bit;
  }
  void look_at_all() {
    for (std::size_t lane = 0; lane < lanes(); ++lane) look_at(lane);
  }

  std::vector<Lane> lanes_;
  std::uint64_t ready_ = 0;  // a bit for each of the first: its head is ready
  std::size_t finished_ = 0;
};

}  // namespace quintet
