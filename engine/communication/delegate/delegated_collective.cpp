#include "engine/communication/delegate/delegated_collective.h"

namespace quintet::engine {

DelegatedCollective::DelegatedCollective(const DelegateParts& parts, const CollectiveCall& work,
                                         Ticket ticket, const GroupPlace& place,
                                         std::span<std::byte> block, const CopyStreams& streams)
    : parts_(parts), work_(work), ticket_(ticket), place_(place), block_(block), streams_(streams) {
  // The others bring the rest of what is gathered.
  const bool gathers = work.kind == CollectiveKind::all_gather;
  const Range brought = gathers ? own_part() : Range{0, work.buffer.size()};
  if (brought.size > 0)
    parts_.device.copy(block.data() + brought.first, work.buffer.data() + brought.first,
                       brought.size, streams.out);
  copied_ = parts_.events.record(streams.out);
}

DelegatedCollective::Range DelegatedCollective::own_part() const {
  const std::size_t part = work_.buffer.size() / place_.members;
  return {place_.position * part, part};
}

void DelegatedCollective::advance() {
  if (state_ == State::goes_out && parts_.device.has_happened(copied_)) {
    parts_.events.give_back(copied_);
    CollectiveCall on_host = work_;
    on_host.buffer = block_.first(work_.buffer.size());
    on_host.stream = {};
    inner_ = parts_.inner.add(parts_.inner.backend().start(on_host));
    state_ = State::under_way;
  }
  if (state_ == State::under_way) {
    if (const auto over = parts_.inner.take(inner_)) {
      copy_back();
      copied_ = parts_.events.record(streams_.in);
      parts_.device.wait(work_.stream, copied_);
      parts_.over.end(ticket_, over->moving);
      state_ = State::comes_back;
    }
  }
  if (state_ == State::comes_back && parts_.device.has_happened(copied_)) {
    parts_.events.give_back(copied_);
    state_ = State::ended;
  }
}

// Only what the collective changed, and left defined.
void DelegatedCollective::copy_back() {
  const auto copy = [&](const Range& range) {
    if (range.size > 0)
      parts_.device.copy(work_.buffer.data() + range.first, block_.data() + range.first, range.size,
                         streams_.in);
  };
  const Range own = own_part();
  const std::size_t behind = own.first + own.size;
  switch (work_.kind) {
    case CollectiveKind::reduce_scatter:
      return copy(own);
    case CollectiveKind::all_gather:
      copy({0, own.first});
      return copy({behind, work_.buffer.size() - behind});
    case CollectiveKind::all_reduce:
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
    case CollectiveKind::all_to_all:
      return copy({0, work_.buffer.size()});
  }
}

}  // namespace quintet::engine
