#include "traces/replay/meeting_prices.h"

#include <fmt/format.h>

#include <map>
#include <tuple>
#include <utility>

#include "sim/program/groups.h"
#include "sim/topology/host_layout.h"

namespace quintet {

namespace {

// A program of nothing but what is to be priced: an instruction for each kind of meeting.
class Questions {
 public:
  Questions(const Workload& workload, const RecordedTimes& times)
      : workload_(workload), times_(times) {
    program_.grid.axes = {{Axis::pipeline, workload.world_size}};
    program_.lanes = {{LaneKind::communication, "all"}};
    program_.bodies.emplace_back();
    for (const WorkloadGroup& group : workload.groups)
      program_.communicators.push_back({group.name, {{Axis::pipeline}}, group.members});
    for (const RecordedMeeting& meeting : times.meetings) ask(meeting);
    for (int rank = 0; rank < workload.world_size; ++rank) program_.roles.push_back({"", rank, {}});
  }

  const Program& program() const { return program_; }

  std::vector<CommunicationPrice> answers(const Communications& all) const {
    std::vector<CommunicationPrice> prices;
    for (const RecordedMeeting& meeting : times_.meetings) prices.push_back(answer(all, meeting));
    return prices;
  }

 private:
  Collective collective(const RecordedMeeting& meeting) const {
    return {meeting.collective, id_at<CommunicatorId>(static_cast<std::size_t>(meeting.group)),
            meeting.size, meeting.type};
  }

  int job_rank(const RecordedMeeting& meeting, std::size_t member) const {
    return workload_.ranks[static_cast<std::size_t>(meeting.members[member].rank)].rank.value;
  }

  Send message(const RecordedMeeting& meeting) const {
    return {Axis::pipeline, job_rank(meeting, 1) - job_rank(meeting, 0), meeting.size};
  }

  void ask(const RecordedMeeting& meeting) {
    const bool message_asked = meeting.kind == SpanKind::send;
    const auto key =
        message_asked
            ? std::tuple(-1, job_rank(meeting, 1) - job_rank(meeting, 0), 0, meeting.size.value)
            : std::tuple(static_cast<int>(meeting.group), static_cast<int>(meeting.collective),
                         static_cast<int>(meeting.type), meeting.size.value);
    if (!asked_.emplace(key, true).second) return;
    Instruction fresh{"", LaneId{0}, collective_or(meeting, message_asked), {}};
    program_.bodies.front().instructions.push_back(std::move(fresh));
  }

  Action collective_or(const RecordedMeeting& meeting, bool message_asked) const {
    if (message_asked) return message(meeting);
    return collective(meeting);
  }

  CommunicationPrice answer(const Communications& all, const RecordedMeeting& meeting) const {
    if (meeting.kind == SpanKind::send) {
      const auto pattern = static_cast<std::size_t>(pattern_of(all, message(meeting)));
      return all.messages[pattern][static_cast<std::size_t>(job_rank(meeting, 0))];
    }
    const auto pattern = static_cast<std::size_t>(pattern_of(all, collective(meeting)));
    return all.collectives[static_cast<std::size_t>(meeting.group)][pattern].front();
  }

  const Workload& workload_;
  const RecordedTimes& times_;
  Program program_;
  std::map<std::tuple<int, int, int, double>, bool> asked_;
};

}  // namespace

Result<MeetingPrices> meeting_prices(const Workload& workload, const RecordedTimes& times,
                                     const ReplayMachine& machine) {
  const auto slots = rank_slots(*machine.topology).size();
  if (slots < static_cast<std::size_t>(workload.world_size))
    return Error{machine.topology->name,
                 fmt::format("has room for {} ranks, and the recorded job has {}: name a larger "
                             "machine (--hosts N makes this one larger)",
                             slots, workload.world_size)};
  const Questions questions(workload, times);
  Communications all =
      communications(questions.program(), *machine.plan, *machine.topology, *machine.costs);
  MeetingPrices made{questions.answers(all), std::move(all.links), std::move(all.details),
                     std::move(all.measured)};
  return made;
}

}  // namespace quintet
