#include "traces/replay/meeting_prices.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "sim/program/groups.h"
#include "sim/topology/host_layout.h"

namespace quintet {

namespace {

void add_up(std::vector<Usage>& uses) {
  std::stable_sort(uses.begin(), uses.end(),
                   [](const Usage& left, const Usage& right) { return left.link < right.link; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (kept > 0 && uses[kept - 1].link == uses[i].link) {
      uses[kept - 1].per_unit += uses[i].per_unit;
      uses[kept - 1].count += uses[i].count;
    } else {
      uses[kept++] = uses[i];
    }
  }
  uses.resize(kept);
}

// What several that move alike at one time take as one: on each link what all of them put there.
CommunicationPrice together(const std::vector<CommunicationPrice>& prices) {
  CommunicationPrice all = prices.front();
  for (std::size_t i = 1; i < prices.size(); ++i) {
    all.latency = std::max(all.latency, prices[i].latency);
    all.flight = std::max(all.flight, prices[i].flight);
    all.held = std::max(all.held, prices[i].held);
    all.bound = std::min(all.bound, prices[i].bound);
    all.phases.resize(std::max(all.phases.size(), prices[i].phases.size()));
    for (std::size_t phase = 0; phase < prices[i].phases.size(); ++phase) {
      std::vector<Usage>& uses = all.phases[phase].uses;
      uses.insert(uses.end(), prices[i].phases[phase].uses.begin(),
                  prices[i].phases[phase].uses.end());
    }
  }
  for (PhaseLoad& phase : all.phases) add_up(phase.uses);
  return all;
}

// A program of nothing but what is to be priced: an instruction for each kind of meeting.
class Questions {
 public:
  Questions(const Workload& workload, const RecordedTimes& times, int replicas)
      : workload_(workload), times_(times), replicas_(replicas) {
    program_.grid.axes = {{Axis::pipeline, workload.world_size}, {Axis::data, replicas}};
    program_.lanes = {{LaneKind::communication, "all"}};
    program_.bodies.emplace_back();
    std::vector<bool> wide(workload.groups.size(), false);
    for (const RecordedMeeting& meeting : times.meetings)
      if (meeting.kind != SpanKind::send && meeting.axis == Axis::data)
        wide[static_cast<std::size_t>(meeting.group)] = true;
    for (std::size_t i = 0; i < workload.groups.size(); ++i) {
      const WorkloadGroup& group = workload.groups[i];
      std::vector<AxisPart> parts{{Axis::pipeline}};
      if (wide[i]) parts.push_back({Axis::data});
      program_.communicators.push_back({group.name, parts, group.members});
    }
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
      std::vector<CommunicationPrice> prices;
      for (int replica = 0; replica < replicas_; ++replica)
        prices.push_back(all.messages[pattern][static_cast<std::size_t>(
            job_rank(meeting, 0) + replica * workload_.world_size)]);
      return together(prices);
    }
    const auto pattern = static_cast<std::size_t>(pattern_of(all, collective(meeting)));
    return together(all.collectives[static_cast<std::size_t>(meeting.group)][pattern]);
  }

  const Workload& workload_;
  const RecordedTimes& times_;
  int replicas_;
  Program program_;
  std::map<std::tuple<int, int, int, double>, bool> asked_;
};

}  // namespace

Result<MeetingPrices> meeting_prices(const Workload& workload, const RecordedTimes& times,
                                     const ReplayMachine& machine, int replicas) {
  const auto slots = rank_slots(*machine.topology).size();
  const auto needed =
      static_cast<std::size_t>(workload.world_size) * static_cast<std::size_t>(replicas);
  if (slots < needed)
    return Error{machine.topology->name,
                 fmt::format("has room for {} ranks, and the job has {}: name a larger machine "
                             "(--hosts N makes this one larger)",
                             slots, needed)};
  const Questions questions(workload, times, replicas);
  Communications all =
      communications(questions.program(), *machine.plan, *machine.topology, *machine.costs);
  MeetingPrices made{questions.answers(all), std::move(all.links), std::move(all.details),
                     std::move(all.measured)};
  return made;
}

}  // namespace quintet
