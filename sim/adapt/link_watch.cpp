#include "sim/adapt/link_watch.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

namespace quintet {

namespace {

// What one step makes of a link: its delay by this step alone; nothing where it lies between well
// and slow.
std::optional<Seconds> shown_delay(Seconds usual, Seconds message, const WatchRules& rules) {
  const Seconds beyond = message - usual;
  const Seconds slow = std::max(rules.at_least, (rules.rises - 1) * usual);
  if (beyond >= slow) return beyond;
  if (beyond <= 0.5 * slow) return Seconds{};
  return std::nullopt;
}

// What a message took without the delay that is believed in, where it still shows one; no less than
// what is usual of anyone who sends.
Seconds undelayed(const WatchedLink& link, Seconds message) {
  if (message < 0.5 * link.delay) return message;
  const Seconds without = std::max(message - link.delay, Seconds{});
  const auto less = [](const auto& one, const auto& other) {
    return one.has_value() && (!other || *one < *other);
  };
  const auto least = std::min_element(link.usual.begin(), link.usual.end(), less);
  return std::max(without, least->value_or(Seconds{}));
}

// Steps that contradict what is believed count only while they agree with one another.
WatchedLink after(WatchedLink link, Seconds message, SentBy by, const WatchRules& rules) {
  std::optional<Seconds>& usual = link.usual[static_cast<std::size_t>(by)];
  const Seconds found = undelayed(link, message);
  usual = std::min(usual.value_or(found), found);
  const std::optional<Seconds> shown = shown_delay(*usual, message, rules);
  if (!shown || !is_another_delay(link.delay, *shown, rules)) {
    link.contrary = 0;
    return link;
  }
  const bool agrees = link.contrary > 0 && !is_another_delay(link.last_contrary, *shown, rules);
  link.contrary = agrees ? link.contrary + 1 : 1;
  link.last_contrary = *shown;
  if (link.contrary < rules.steps) return link;
  link.delay = *shown;
  link.contrary = 0;
  return link;
}

}  // namespace

bool is_another_delay(Seconds believed, Seconds shown, const WatchRules& rules) {
  if ((believed > Seconds{}) != (shown > Seconds{})) return true;
  return std::abs((shown - believed).value) > rules.differs * believed.value;
}

LinkWatch watch_of(const std::vector<std::optional<Seconds>>& usual, SentBy by) {
  LinkWatch watch = watch_of(static_cast<int>(usual.size()));
  for (std::size_t link = 0; link < usual.size(); ++link)
    watch.links[link].usual[static_cast<std::size_t>(by)] = usual[link];
  return watch;
}

LinkWatch watch_of(int links) {
  return {std::vector<WatchedLink>(static_cast<std::size_t>(links))};
}

LinkWatch observed(LinkWatch watch, const std::vector<std::optional<Seconds>>& messages, SentBy by,
                   const WatchRules& rules) {
  assert(messages.size() == watch.links.size());
  for (std::size_t link = 0; link < messages.size(); ++link)
    if (messages[link]) watch.links[link] = after(watch.links[link], *messages[link], by, rules);
  return watch;
}

std::vector<Seconds> delays(const LinkWatch& watch) {
  std::vector<Seconds> all;
  for (const WatchedLink& link : watch.links) all.push_back(link.delay);
  return all;
}

}  // namespace quintet
