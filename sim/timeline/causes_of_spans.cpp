#include "sim/timeline/causes_of_spans.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "sim/program/groups.h"
#include "sim/program/tasks.h"

namespace quintet {

namespace {

using Positions = std::vector<std::int32_t>;

// What a script's tasks wait for on other lanes, by task number.
class TaskCauses {
 public:
  TaskCauses(const TaskList& list, const InstructionTable& table) : list_(list), table_(table) {
    before_.resize(list.units.size());
    for (std::size_t unit = 0; unit < list.units.size(); ++unit)
      for (const std::int32_t later : list.units[unit].successors)
        before_[static_cast<std::size_t>(later)].push_back(static_cast<std::int32_t>(unit));
    last_.resize(list.units.size());
    for (std::size_t unit = 0; unit < list.units.size(); ++unit) last_[unit] = last_of(unit);
  }

  Positions of(std::int32_t number) const {
    const Task& task = list_.task(number);
    const std::int32_t first = list_.unit_of(number).first;
    const std::vector<int>& own =
        table_.instructions[static_cast<std::size_t>(task.instruction)]->after;
    Positions all;
    for (const int place : own) add(all, first + place, task.lane);
    if (own.empty())
      for (const std::int32_t unit : before_[static_cast<std::size_t>(task.unit)])
        for (const std::int32_t last : last_[static_cast<std::size_t>(unit)])
          add(all, last, task.lane);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

 private:
  void add(Positions& all, std::int32_t other, std::int16_t lane) const {
    if (list_.task(other).lane != lane) all.push_back(other);
  }

  // The last task of each lane; of a unit without tasks, that of the units before it.
  Positions last_of(std::size_t unit) const {
    const TaskList::Unit& own = list_.units[unit];
    std::map<std::int16_t, std::int32_t> by_lane;
    for (std::int32_t task = own.first; task < own.first + own.tasks; ++task)
      by_lane[list_.task(task).lane] = task;
    Positions last;
    for (const auto& [lane, task] : by_lane) last.push_back(task);
    if (!last.empty()) return last;
    for (const std::int32_t earlier : before_[unit])
      last.insert(last.end(), last_[static_cast<std::size_t>(earlier)].begin(),
                  last_[static_cast<std::size_t>(earlier)].end());
    return last;
  }

  const TaskList& list_;
  const InstructionTable& table_;
  std::vector<std::vector<std::int32_t>> before_;  // per unit
  std::vector<Positions> last_;                    // per unit
};

// Per task of the list, the position of its span among the track's; nothing where they differ.
std::optional<Positions> positions(const Timeline& timeline, std::size_t first, std::size_t end,
                                   const TaskList& list) {
  if (end - first != list.tasks.size()) return std::nullopt;
  std::vector<std::size_t> next(list.lanes.size(), 0);
  Positions found(list.tasks.size(), -1);
  for (std::size_t i = first; i < end; ++i) {
    const Span& span = timeline.spans[i];
    const auto lane =
        static_cast<std::size_t>(timeline.infos[static_cast<std::size_t>(span.info)].lane);
    if (lane >= list.lanes.size() || next[lane] == list.lanes[lane].size()) return std::nullopt;
    const std::int32_t task = list.lanes[lane][next[lane]++];
    if (list.task(task).instruction != span.info) return std::nullopt;
    found[static_cast<std::size_t>(task)] = static_cast<std::int32_t>(i - first);
  }
  return found;
}

// From, to, payload, micro-batch, chunk of the receiver.
using MessageKey = std::tuple<std::int32_t, std::int32_t, Payload, std::int32_t, int>;

class Causes {
 public:
  Causes(const Timeline& timeline, const Program& program)
      : timeline_(timeline), program_(program), table_(program) {
    for (const Role& role : program.roles)
      lists_.push_back(task_list(program, role.script, table_));
    for (const TaskList& list : lists_) of_lists_.emplace_back(list, table_);
    first_group_.resize(program.communicators.size());
    for (std::size_t i = 0; i < program.communicators.size(); ++i) {
      first_group_[i] = static_cast<std::int32_t>(causes_.groups.size());
      for (std::vector<Rank>& group : all_groups(program.grid, program.communicators[i]))
        causes_.groups.push_back(std::move(group));
    }
  }

  std::optional<SpanCauses> found() {
    for (std::size_t first = 0, end = 0; first < timeline_.spans.size(); first = end) {
      const std::int32_t track = timeline_.spans[first].track;
      end = first;
      while (end < timeline_.spans.size() && timeline_.spans[end].track == track) ++end;
      if (!add_track(first, end)) return std::nullopt;
    }
    return std::move(causes_);
  }

 private:
  bool add_track(std::size_t first, std::size_t end) {
    const Rank rank = timeline_.tracks[static_cast<std::size_t>(timeline_.spans[first].track)].rank;
    if (rank.value < 0 || rank.value >= world_size(program_.grid)) return false;
    const std::size_t role = role_of(program_.grid, rank).index();
    const std::optional<Positions> places = positions(timeline_, first, end, lists_[role]);
    if (!places) return false;
    causes_.after.resize(end);
    causes_.group.resize(end, -1);
    causes_.use.resize(end, -1);
    for (std::size_t task = 0; task < places->size(); ++task) {
      const std::size_t span = first + static_cast<std::size_t>((*places)[task]);
      for (const std::int32_t other : of_lists_[role].of(static_cast<std::int32_t>(task)))
        causes_.after[span].push_back((*places)[static_cast<std::size_t>(other)]);
      causes_.group[span] = group_of(timeline_.spans[span].info, rank);
      causes_.use[span] = lists_[role].task(static_cast<std::int32_t>(task)).use;
    }
    return true;
  }

  std::int32_t group_of(std::int32_t instruction, Rank rank) {
    const auto* const collective = std::get_if<Collective>(
        &table_.instructions[static_cast<std::size_t>(instruction)]->action);
    if (collective == nullptr) return -1;
    const std::size_t communicator = collective->communicator.index();
    const auto begin = causes_.groups.begin() + first_group_[communicator];
    const auto end = communicator + 1 < first_group_.size()
                         ? causes_.groups.begin() + first_group_[communicator + 1]
                         : causes_.groups.end();
    const auto own = std::find_if(begin, end, [rank](const std::vector<Rank>& group) {
      return std::find(group.begin(), group.end(), rank) != group.end();
    });
    return own == end ? -1 : static_cast<std::int32_t>(own - causes_.groups.begin());
  }

  const Timeline& timeline_;
  const Program& program_;
  InstructionTable table_;
  std::vector<TaskList> lists_;
  std::vector<TaskCauses> of_lists_;
  std::vector<std::int32_t> first_group_;  // per communicator
  SpanCauses causes_;
};

void join_messages(const Program& program, Timeline& timeline) {
  const std::vector<const Instruction*> instructions = all_instructions(program);
  const auto rank_of = [&](const Span& span) {
    return timeline.tracks[static_cast<std::size_t>(span.track)].rank;
  };
  std::map<MessageKey, Span*> sends;
  for (Span& span : timeline.spans)
    if (const auto* const send =
            std::get_if<Send>(&instructions[static_cast<std::size_t>(span.info)]->action)) {
      const Rank from = rank_of(span);
      sends[{from.value, neighbour(program.grid, from, send->axis, send->offset).value,
             send->payload, span.micro_batch, send->chunk}] = &span;
      span.flow = -1;
    }
  std::int32_t flow = 0;
  for (Span& span : timeline.spans) {
    const auto* const receive =
        std::get_if<Receive>(&instructions[static_cast<std::size_t>(span.info)]->action);
    if (receive == nullptr) continue;
    const Rank to = rank_of(span);
    const auto send = sends.find({neighbour(program.grid, to, receive->axis, receive->offset).value,
                                  to.value, receive->payload, span.micro_batch, receive->chunk});
    span.flow = send == sends.end() ? -1 : flow++;
    if (send != sends.end()) send->second->flow = span.flow;
  }
}

}  // namespace

Timeline with_causes(Timeline timeline, const Program& program) {
  std::optional<SpanCauses> causes = Causes(timeline, program).found();
  if (!causes) return timeline;
  timeline.causes = std::move(*causes);
  join_messages(program, timeline);
  return timeline;
}

}  // namespace quintet
