#include "engine/network/collectives/running_collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace quintet::engine {

namespace {

// Enough to keep a wire busy while the next segment is being added; few, so that messages leave in
// the schedule's order.
constexpr std::size_t send_window = 4;

// A slot number is a receive's slot, or this plus a send's message.
constexpr std::uint32_t first_send = std::uint32_t{1} << 31;

}  // namespace

RunningCollective::RunningCollective(const CollectiveCall& call, OnWire wired, SegmentPool& pool)
    : call_(call),
      wired_(std::move(wired)),
      pool_(pool),
      cells_(wired_.messages->cells),
      slots_(std::min<std::size_t>(wired_.messages->receive_window,
                                   wired_.messages->receives.size())) {
  const std::size_t kept = wired_.kept.end - wired_.kept.begin;
  if (kept > 0)
    std::memcpy(target().data() + wired_.kept.begin, call_.buffer.data() + wired_.kept.begin, kept);
}

// Addition comes first, since it frees what the next messages need. Messages that are over at once
// call moved() from within.
void RunningCollective::advance(Wire& wire) {
  Progressed landed, received, sent;
  do {
    landed = land_arrived();
    sent = post_sends(wire);
    received = post_receives(wire);
  } while (landed == Progressed::yes || received == Progressed::yes || sent == Progressed::yes);
}

RunningCollective::Progressed RunningCollective::post_sends(Wire& wire) {
  const std::vector<Message>& sends = wired_.messages->sends;
  const std::size_t before = next_send_;
  while (next_send_ < sends.size() && next_send_ - sent_ < send_window) {
    const Message& message = sends[next_send_];
    if (cells_[message.cell].received < message.received_before) break;
    const auto slot = first_send + static_cast<std::uint32_t>(next_send_++);
    wire.send(rank_at(message.peer), collective_tag(wire.rank(), wired_.tag + message.number),
              call_.buffer.subspan(message.offset, message.size), *this, slot);
  }
  return next_send_ > before ? Progressed::yes : Progressed::no;
}

RunningCollective::Progressed RunningCollective::post_receives(Wire& wire) {
  const std::vector<Message>& receives = wired_.messages->receives;
  const std::size_t before = next_receive_;
  for (std::uint32_t i = 0; i < slots_.size() && next_receive_ < receives.size(); ++i) {
    Slot& slot = slots_[i];
    if (slot.state != Slot::State::unused) continue;
    const Message& message = receives[next_receive_];
    const bool in_place = message.landing == Landing::in_place;
    if (in_place && !may_land(message)) break;
    ++next_receive_;
    slot.state = Slot::State::open;
    slot.message = &message;
    if (!in_place) slot.segment = pool_.take();
    const std::span<std::byte> target =
        in_place ? place_of(message) : std::span(slot.segment.get(), message.size);
    const Rank sender = rank_at(message.peer);
    wire.receive(sender, collective_tag(sender, wired_.tag + message.number), target, *this, i);
  }
  return next_receive_ > before ? Progressed::yes : Progressed::no;
}

void RunningCollective::moved(std::uint32_t slot) {
  if (slot < first_send) {
    note_moving();
    slots_[slot].state = Slot::State::arrived;
    return;
  }
  ++cells_[wired_.messages->sends[slot - first_send].cell].sent;
  ++sent_;
}

bool RunningCollective::may_land(const Message& message) const {
  const Cell& cell = cells_[message.cell];
  return cell.received == message.received_before && cell.sent >= message.sent_before;
}

RunningCollective::Progressed RunningCollective::land_arrived() {
  const std::size_t before = landed_;
  for (Slot& slot : slots_)
    if (slot.state == Slot::State::arrived && may_land(*slot.message)) land(slot);
  return landed_ > before ? Progressed::yes : Progressed::no;
}

void RunningCollective::land(Slot& slot) {
  const Message& message = *slot.message;
  Cell& cell = cells_[message.cell];
  const std::span<std::byte> place = place_of(message);
  const std::span<std::byte> arrived(slot.segment.get(), message.size);
  switch (message.landing) {
    case Landing::in_place:
      break;
    case Landing::copy_later:
      std::memcpy(place.data(), arrived.data(), arrived.size());
      break;
    case Landing::add:
      reduce_into(place, arrived, call_.type, call_.reduction);
      break;
    case Landing::hold:
      cell.held = std::move(slot.segment);
      break;
    case Landing::add_to_held:
      reduce_into({cell.held.get(), message.size}, arrived, call_.type, call_.reduction);
      break;
  }
  if (message.after == AfterLanding::add_held) {
    reduce_into(place, {cell.held.get(), message.size}, call_.type, call_.reduction);
    pool_.give(std::move(cell.held));
  }
  if (slot.segment) pool_.give(std::move(slot.segment));
  slot.state = Slot::State::unused;
  ++cell.received;
  ++landed_;
}

std::span<std::byte> RunningCollective::place_of(const Message& message) const {
  return target().subspan(message.offset, message.size);
}

bool RunningCollective::finished() const {
  return sent_ == wired_.messages->sends.size() && landed_ == wired_.messages->receives.size();
}

Failure RunningCollective::overdue() const {
  const Message* waited_for = nullptr;
  for (const Slot& slot : slots_)
    if (slot.state == Slot::State::open &&
        (waited_for == nullptr || slot.message->step < waited_for->step))
      waited_for = slot.message;
  const std::string where = " of " + wired_.name + " before the deadline";
  if (waited_for != nullptr)
    return {rank_at(waited_for->peer),
            fmt::format("it did not send step {}{}", waited_for->step, where)};
  if (sent_ < next_send_) {
    const Message& message = wired_.messages->sends[sent_];
    return {rank_at(message.peer), fmt::format("it did not take step {}{}", message.step, where)};
  }
  return {Rank{}, wired_.name + " did not end before the deadline"};
}

}  // namespace quintet::engine
