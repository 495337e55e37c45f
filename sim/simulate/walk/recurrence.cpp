#include "sim/simulate/walk/recurrence.h"

#include <algorithm>

namespace quintet {

namespace {

// A state may come again after several periods only.
constexpr std::size_t most_apart = 12;

Duration between(const Mark& from, const Mark& to) {
  return to.at - from.at;
}

}  // namespace

SteadyTasks steady_tasks(const TaskList& list, const RepeatedCalls& calls) {
  const auto first_task = [&](int call) {
    if (static_cast<std::size_t>(call) == list.first_units.size())
      return static_cast<std::int32_t>(list.tasks.size());
    const std::int32_t unit = list.first_units[static_cast<std::size_t>(call)];
    return list.units[static_cast<std::size_t>(unit)].first;
  };
  const std::int32_t begin = first_task(calls.begin);
  return {begin, first_task(calls.begin + calls.periods * calls.length),
          first_task(calls.begin + calls.length) - begin};
}

void Recurrence::add(Mark mark) {
  marks_.push_back(std::move(mark));
  for (std::size_t apart = 1; apart <= most_apart && apart_ == 0; ++apart)
    if (static_cast<std::size_t>(left_out_.periods) % apart == 0 && recurs(apart)) apart_ = apart;
}

bool Recurrence::recurs(std::size_t apart) const {
  if (marks_.size() <= 2 * apart) return false;
  const Mark& third = marks_.back();
  const Mark& second = marks_[marks_.size() - 1 - apart];
  const Mark& first = marks_[marks_.size() - 1 - 2 * apart];
  return first.state == second.state && second.state == third.state &&
         between(first, second) == between(second, third) &&
         third.messages - second.messages == second.messages - first.messages;
}

std::optional<Recurrence::Window> Recurrence::window() const {
  if (!found()) return std::nullopt;
  const Mark& from = marks_[marks_.size() - 1 - apart_];
  const Mark& to = marks_.back();
  const auto periods = static_cast<int>(apart_);
  const RepeatedPart part{from.at, to.at, left_out_.periods / periods,
                          periods * left_out_.rest.micro_batches, to.messages - from.messages};
  if (part.times > (end_of_time - to.at).picoseconds / (part.to - part.from).picoseconds)
    return std::nullopt;  // whoever walks the whole step says that it is too long
  Window found{part, {}};
  for (std::size_t price = 0; price < to.moves.size(); ++price)
    found.moves.push_back(part.times * (to.moves[price] - from.moves[price]));
  return found;
}

}  // namespace quintet
