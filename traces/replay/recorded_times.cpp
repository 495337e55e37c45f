#include "traces/replay/recorded_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace quintet {

namespace {

class Times {
 public:
  explicit Times(const Workload& workload) : workload_(workload) {}

  RecordedTimes found() && {
    for (const WorkloadRank& rank : workload_.ranks) {
      made_.meeting_of.emplace_back(rank.tasks.size(), -1);
      made_.pause.emplace_back(rank.tasks.size());
      made_.work.emplace_back(rank.tasks.size());
      made_.late.emplace_back(rank.tasks.size());
    }
    find_meetings();
    for (std::size_t meeting = 0; meeting < made_.meetings.size(); ++meeting)
      number_members(static_cast<std::int32_t>(meeting));
    if (workload_.recorded)
      for (RecordedMeeting& meeting : made_.meetings) measure(meeting);
    for (std::size_t rank = 0; rank < workload_.ranks.size(); ++rank) find_pauses(rank);
    return std::move(made_);
  }

 private:
  // Collectives by group and number; messages by sender, receiver, tag and number.
  using Key = std::tuple<bool, std::int32_t, std::int32_t, std::int64_t, std::int64_t>;

  const SpanInfo& info(const WorkloadTask& task) const {
    return workload_.infos[static_cast<std::size_t>(task.info)];
  }
  const WorkloadTask& task(const RecordedMeeting::Member& member) const {
    return workload_.ranks[static_cast<std::size_t>(member.rank)]
        .tasks[static_cast<std::size_t>(member.task)];
  }

  void find_meetings() {
    std::map<Key, RecordedMeeting> found;
    for (std::size_t rank = 0; rank < workload_.ranks.size(); ++rank)
      for (std::size_t number = 0; number < workload_.ranks[rank].tasks.size(); ++number)
        join(found, static_cast<std::int32_t>(rank), static_cast<std::int32_t>(number));
    for (auto& [key, meeting] : found) {
      if (is_whole(meeting))
        made_.meetings.push_back(std::move(meeting));
      else
        alone_[meeting.kind == SpanKind::collective ? meeting.group : -1] +=
            static_cast<std::int64_t>(meeting.members.size());
    }
    for (const auto& [group, tasks] : alone_) made_.remarks.push_back(remark(group, tasks));
  }

  void join(std::map<Key, RecordedMeeting>& found, std::int32_t rank, std::int32_t number) {
    const WorkloadRank& own = workload_.ranks[static_cast<std::size_t>(rank)];
    const WorkloadTask& joining = own.tasks[static_cast<std::size_t>(number)];
    if (joining.peers < 0) return;
    const TaskPeers& peers = own.peers[static_cast<std::size_t>(joining.peers)];
    const SpanKind kind = info(joining).kind;
    const bool collective = kind == SpanKind::collective;
    const bool sends = kind == SpanKind::send;
    const Key key = collective ? Key{false, peers.group, 0, 0, peers.sequence}
                               : Key{true, sends ? rank : peers.peer, sends ? peers.peer : rank,
                                     peers.tag, peers.sequence};
    RecordedMeeting& meeting = found[key];
    meeting.kind = collective ? SpanKind::collective : SpanKind::send;
    meeting.group = collective ? peers.group : -1;
    meeting.collective = peers.collective;
    meeting.axis = info(joining).axis;
    meeting.type = peers.type;
    meeting.size = std::max(meeting.size, info(joining).size);
    const RecordedMeeting::Member member{rank, number};
    meeting.members.insert(sends ? meeting.members.begin() : meeting.members.end(), member);
  }

  // All ranks of the group that are here have come, each once; a message has both ends.
  bool is_whole(const RecordedMeeting& meeting) const {
    if (meeting.kind == SpanKind::send)
      return meeting.members.size() == 2 && info(task(meeting.members[0])).kind == SpanKind::send &&
             info(task(meeting.members[1])).kind == SpanKind::receive;
    const std::size_t here = workload_.groups[static_cast<std::size_t>(meeting.group)].ranks.size();
    for (std::size_t i = 1; i < meeting.members.size(); ++i)
      if (meeting.members[i].rank == meeting.members[i - 1].rank) return false;
    return here == meeting.members.size();
  }

  WorkloadRemark remark(std::int32_t group, std::int64_t tasks) const {
    if (group < 0)
      return {
          fmt::format("{} messages have no other end here: each takes the time it took", tasks)};
    return {
        fmt::format("{} calls of group {} have no partner on all of its ranks: each takes the "
                    "time it took",
                    tasks, workload_.groups[static_cast<std::size_t>(group)].name)};
  }

  void number_members(std::int32_t number) {
    for (const auto& member : made_.meetings[static_cast<std::size_t>(number)].members)
      made_.meeting_of[static_cast<std::size_t>(member.rank)]
                      [static_cast<std::size_t>(member.task)] = number;
  }

  void measure(RecordedMeeting& meeting) const {
    if (meeting.kind == SpanKind::send) return measure_message(meeting);
    Instant last = task(meeting.members.front()).start, first_end = end_of_time;
    for (const auto& member : meeting.members) {
      last = std::max(last, task(member).start);
      first_end = std::min(first_end, task(member).end);
    }
    // Clocks that are apart may say that one left before another came.
    meeting.work = std::max(Duration{}, first_end - last);
  }

  // Who waits for a message has it as it comes; whoever comes later finds it there, and the sender
  // alone tells how long it took.
  void measure_message(RecordedMeeting& meeting) const {
    const WorkloadTask& send = task(meeting.members[0]);
    const WorkloadTask& receive = task(meeting.members[1]);
    const Duration whole = std::max(Duration{}, receive.end - send.start);
    meeting.work = std::min(send.end - send.start, whole);
    meeting.flight = receive.start <= send.start ? whole - meeting.work : Duration{};
  }

  // When a replay that goes as recorded is done with a task.
  Instant end_in_replay(std::size_t rank, std::size_t number) const {
    const WorkloadTask& own = workload_.ranks[rank].tasks[number];
    const std::int32_t meeting = made_.meeting_of[rank][number];
    if (meeting < 0) return own.end;
    const RecordedMeeting& met = made_.meetings[static_cast<std::size_t>(meeting)];
    Instant last;
    if (met.kind == SpanKind::send) {
      const Instant sent = task(met.members[0]).start + met.work;
      return info(own).kind == SpanKind::send ? sent : std::max(sent + met.flight, own.start);
    }
    for (const auto& member : met.members) last = std::max(last, task(member).start);
    return last + met.work;
  }

  void find_pauses(std::size_t rank) {
    const WorkloadRank& own = workload_.ranks[rank];
    std::vector<Instant> ends(own.tasks.size()), free(workload_.lanes.size());
    for (std::size_t number = 0; number < own.tasks.size(); ++number) {
      const WorkloadTask& each = own.tasks[number];
      if (!workload_.recorded) {
        made_.work[rank][number] = std::max(Duration{}, each.work);
        continue;
      }
      const auto lane = static_cast<std::size_t>(info(each).lane);
      Instant others;
      for (const std::int32_t other : own.after_of(number))
        others = std::max(others, ends[static_cast<std::size_t>(other)]);
      const bool late = others > each.start;
      made_.late[rank][number] = late;
      made_.pause[rank][number] =
          std::max(Duration{}, each.start - (late ? free[lane] : std::max(free[lane], others)));
      made_.work[rank][number] =
          std::max(Duration{}, each.end - std::max(each.start, std::min(others, each.end)));
      ends[number] = end_in_replay(rank, number);
      free[lane] = std::max(free[lane], ends[number]);
    }
  }

  const Workload& workload_;
  RecordedTimes made_;
  std::map<std::int32_t, std::int64_t> alone_;  // by group: tasks; -1: of messages
};

}  // namespace

RecordedTimes recorded_times(const Workload& workload) {
  return Times(workload).found();
}

}  // namespace quintet
