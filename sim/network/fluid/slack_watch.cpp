#include "sim/network/fluid/slack_watch.h"

namespace quintet {

namespace {

// What must stay free. Far above what sums of a million rates round, 1e-10 of them.
constexpr double most_taken = 1.0 - 1e-6;

}  // namespace

void SlackWatch::touch(std::int32_t link) {
  if (at(link).changed) return;
  at(link).changed = true;
  changed_.push_back(link);
}

void SlackWatch::enter(std::span<const SlackUse> uses) {
  for (const SlackUse& use : uses) at(use.link).moves += use.moves;
}

void SlackWatch::change(std::span<const SlackUse> uses, double by) {
  for (const SlackUse& use : uses) {
    at(use.link).load += use.per_unit * by;
    touch(use.link);
  }
}

// A link without flows begins anew: no dust is left of sums and differences.
void SlackWatch::leave(std::span<const SlackUse> uses, double rate) {
  for (const SlackUse& use : uses) {
    Load& left = at(use.link);
    left.load -= use.per_unit * rate;
    left.moves -= use.moves;
    if (left.moves == 0) left.load = 0.0;
  }
}

void SlackWatch::set_capacity(std::int32_t link, double capacity) {
  links_[static_cast<std::size_t>(link)].capacity = capacity;
  touch(link);
}

void SlackWatch::judge() {
  for (const std::int32_t link : changed_) {
    Load& judged = at(link);
    judged.changed = false;
    if (judged.moves < 2) continue;
    const double capacity = links_[static_cast<std::size_t>(link)].capacity;
    if (judged.load > most_taken * capacity) judged.overfull = true;
  }
  changed_.clear();
}

std::vector<std::int32_t> SlackWatch::overfull() const {
  std::vector<std::int32_t> links;
  for (std::size_t link = 0; link < loads_.size(); ++link)
    if (loads_[link].overfull) links.push_back(static_cast<std::int32_t>(link));
  return links;
}

}  // namespace quintet
