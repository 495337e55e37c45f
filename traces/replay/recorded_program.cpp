#include "traces/replay/recorded_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace quintet {

namespace {

class Building {
 public:
  Building(const Workload& workload, const RecordedTimes& times)
      : workload_(workload), times_(times), numbers_(times.meetings.size()) {}

  RecordedProgram built() {
    const auto ranks = static_cast<int>(workload_.ranks.size());
    Program& program = made_.program;
    program.grid.axes = {{Axis::pipeline, ranks}};
    program.lanes = workload_.lanes;
    number_meetings();
    for (std::size_t rank = 0; rank < workload_.ranks.size(); ++rank) add_rank(rank);
    return std::move(made_);
  }

 private:
  // Its communicator, and which of that one's collectives, or of all messages, it is.
  struct Number {
    std::size_t communicator = 0;
    std::int32_t place = 0;
  };

  // Ranks meet in the n-th use of a communicator, which is that of their scripts: a group whose
  // collectives a rank has in another order has a communicator for each.
  void number_meetings() {
    const std::vector<bool> ordered = groups_in_order();
    std::vector<std::int32_t> known(workload_.groups.size(), -1);
    for (std::size_t meeting = 0; meeting < times_.meetings.size(); ++meeting) {
      const RecordedMeeting& met = times_.meetings[meeting];
      if (met.kind != SpanKind::collective) {
        numbers_[meeting] = {0, static_cast<std::int32_t>(made_.messages.size())};
        made_.messages.push_back(static_cast<std::int32_t>(meeting));
        continue;
      }
      const auto group = static_cast<std::size_t>(met.group);
      if (known[group] < 0 || !ordered[group]) known[group] = add_communicator(group);
      const auto communicator = static_cast<std::size_t>(known[group]);
      auto& numbered = made_.collectives[communicator];
      numbers_[meeting] = {communicator, static_cast<std::int32_t>(numbered.size())};
      numbered.push_back(static_cast<std::int32_t>(meeting));
    }
  }

  std::vector<bool> groups_in_order() const {
    std::vector<bool> ordered(workload_.groups.size(), true);
    for (const std::vector<std::int32_t>& of_rank : times_.meeting_of) {
      std::vector<std::int32_t> last(workload_.groups.size(), -1);
      for (const std::int32_t meeting : of_rank) {
        if (meeting < 0) continue;
        const std::int32_t group = times_.meetings[static_cast<std::size_t>(meeting)].group;
        if (group < 0) continue;
        std::int32_t& before = last[static_cast<std::size_t>(group)];
        if (meeting < before) ordered[static_cast<std::size_t>(group)] = false;
        before = meeting;
      }
    }
    return ordered;
  }

  std::int32_t add_communicator(std::size_t group) {
    Communicator fresh{workload_.groups[group].name, {{Axis::pipeline}}, {}};
    fresh.stages.assign(workload_.groups[group].ranks.begin(), workload_.groups[group].ranks.end());
    made_.program.communicators.push_back(std::move(fresh));
    made_.collectives.emplace_back();
    return static_cast<std::int32_t>(made_.collectives.size()) - 1;
  }

  void add_rank(std::size_t rank) {
    const WorkloadRank& own = workload_.ranks[rank];
    Body body{.name = fmt::format("rank {}", own.rank.value)};
    std::vector<std::int32_t> places(own.tasks.size());
    std::vector<std::int32_t>& tasks = made_.tasks.emplace_back();
    for (std::size_t task = 0; task < own.tasks.size(); ++task) {
      std::vector<int> after;
      for (const std::int32_t other : own.after_of(task))
        after.push_back(places[static_cast<std::size_t>(other)]);
      if (const Duration pause = times_.pause[rank][task]; pause > Duration{}) {
        const bool late = times_.late[rank][task];
        body.instructions.push_back({"pause", lane_of(own.tasks[task]), Recorded{pause},
                                     late ? std::vector<int>{} : std::move(after)});
        if (!late) after.clear();
        if (!workload_.lanes_in_order) after.push_back(static_cast<int>(tasks.size()));
        tasks.push_back(-1);
      }
      places[task] = static_cast<std::int32_t>(tasks.size());
      tasks.push_back(static_cast<std::int32_t>(task));
      body.instructions.push_back({info(own.tasks[task]).name, lane_of(own.tasks[task]),
                                   action_of(rank, task), std::move(after)});
    }
    Program& program = made_.program;
    Script script;
    if (!body.instructions.empty()) script.calls.push_back({id_at<BodyId>(program.bodies.size())});
    program.bodies.push_back(std::move(body));
    program.roles.push_back({program.bodies.back().name, static_cast<int>(rank), script});
  }

  const SpanInfo& info(const WorkloadTask& task) const {
    return workload_.infos[static_cast<std::size_t>(task.info)];
  }
  LaneId lane_of(const WorkloadTask& task) const { return LaneId{info(task).lane}; }

  Action action_of(std::size_t rank, std::size_t task) const {
    const std::int32_t meeting = times_.meeting_of[rank][task];
    if (meeting < 0) return Recorded{times_.work[rank][task]};
    const RecordedMeeting& met = times_.meetings[static_cast<std::size_t>(meeting)];
    const auto [communicator, place] = numbers_[static_cast<std::size_t>(meeting)];
    if (met.kind == SpanKind::collective)
      return Collective{met.collective,    id_at<CommunicatorId>(communicator),
                        met.size,          met.type,
                        Purpose::exchange, place};
    const int offset = met.members[1].rank - met.members[0].rank;
    if (static_cast<std::size_t>(met.members[0].rank) == rank)
      return Send{Axis::pipeline, offset,         met.size, Payload::activation,
                  place,          Memory::device, place};
    return Receive{Axis::pipeline, -offset, met.size, Payload::activation, place};
  }

  const Workload& workload_;
  const RecordedTimes& times_;
  RecordedProgram made_;
  std::vector<Number> numbers_;  // per meeting
};

}  // namespace

RecordedProgram recorded_program(const Workload& workload, const RecordedTimes& times) {
  return Building(workload, times).built();
}

}  // namespace quintet
