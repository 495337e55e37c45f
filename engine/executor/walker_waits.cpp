// What the device has not done of a step, in words: for whoever waited for it in vain.
#include <fmt/format.h>

#include <set>

#include "engine/executor/walker.h"
#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

std::string ranks_text(const std::vector<Rank>& group, Rank self) {
  std::string text;
  for (const Rank rank : group)
    if (rank != self) text += fmt::format("{}{}", text.empty() ? "" : ", ", rank.value);
  return "with rank" + std::string(group.size() > 2 ? "s " : " ") + text;
}

}  // namespace

// What it is, of what, and with whom.
std::string Walker::in_words(int task) const {
  const Instruction& what = instruction(task);
  const Call& from = call(task);
  std::string text = "\"" + what.name + "\"";
  if (list_.task(task).layer >= 0) text += fmt::format(" of layer {}", list_.task(task).layer);
  if (from.micro_batch >= 0) text += fmt::format(", micro-batch {}", from.micro_batch);
  if (from.bucket >= 0) text += fmt::format(", bucket {}", from.bucket);
  const auto of_neighbour = [&](const char* how, Axis axis, int offset) {
    text += fmt::format(", {} rank {}", how, neighbour(program_.grid, rank_, axis, offset).value);
  };
  if (const auto* const collective = std::get_if<Collective>(&what.action)) {
    const quintet::Communicator& used = program_.communicators[collective->communicator.index()];
    text += fmt::format(", on communicator \"{}\" ", used.name) +
            ranks_text(group_of(program_.grid, used, rank_), rank_);
  }
  if (const auto* const send = std::get_if<Send>(&what.action))
    of_neighbour("to", send->axis, send->offset);
  if (const auto* const receive = std::get_if<Receive>(&what.action))
    of_neighbour("from", receive->axis, receive->offset);
  return text;
}

// A graph does not say how far it is: everything of it that waits for others.
std::string Walker::communication_in_words() const {
  std::set<std::string> all;
  for (int task = 0; task < static_cast<int>(list_.tasks.size()); ++task) {
    const Action& action = instruction(task).action;
    if (const auto* const collective = std::get_if<Collective>(&action)) {
      const quintet::Communicator& used = program_.communicators[collective->communicator.index()];
      all.insert("communicator \"" + used.name + "\" " +
                 ranks_text(group_of(program_.grid, used, rank_), rank_));
    }
    if (const auto* const send = std::get_if<Send>(&action))
      all.insert(fmt::format("messages to rank {}",
                             neighbour(program_.grid, rank_, send->axis, send->offset).value));
    if (const auto* const receive = std::get_if<Receive>(&action))
      all.insert(
          fmt::format("messages from rank {}",
                      neighbour(program_.grid, rank_, receive->axis, receive->offset).value));
  }
  std::string text;
  for (const std::string& each : all) text += (text.empty() ? "" : "; ") + each;
  return text.empty() ? "nothing of which waits for other ranks" : text;
}

std::string Walker::undone() const {
  const bool ended = !queued_.empty();
  const std::uint64_t number = ended ? queued_.front().number : steps_;
  std::string text = fmt::format("of step {} since the start, ", number + 1);
  if ((ended ? queued_.front().launched : launched_) == Launched::as_graph)
    return text + "which is one graph: " + communication_in_words();
  const std::vector<Mark>& marks = ended ? queued_.front().marks : marks_;
  const Places first = place_.undone();
  std::string lanes;
  for (std::size_t lane = 0; lane < program_.lanes.size(); ++lane)
    for (const Mark& mark : marks)
      if (first[lane] > 0 && mark.lane == lane && mark.number >= first[lane]) {
        lanes += fmt::format("{}lane \"{}\" has not done {}", lanes.empty() ? "" : "; ",
                             program_.lanes[lane].name, in_words(mark.task));
        break;
      }
  return text + (lanes.empty() ? "whose lanes are done: its end" : lanes);
}

}  // namespace quintet::engine
