#include "engine/communicator/delegate/incoming_route.h"

#include <algorithm>

namespace quintet::engine {

void IncomingRoute::add(const ReceiveWork& work, Ticket ticket, const kernels::Stream& copies) {
  messages_[ticket.number] = {work, copies, 0, 0, std::nullopt};
  to_post_.push_back(ticket.number);
  post_next();
}

void IncomingRoute::advance() {
  for (Chunk& chunk : chunks_) {
    if (chunk.copied) continue;
    if (const auto received = tools_.inner.take(chunk.received)) land(chunk, *received);
  }
  free_copied();
  post_next();
}

bool IncomingRoute::waits_for_copy() const {
  const auto copying = [](const Chunk& chunk) { return chunk.copied.has_value(); };
  return !to_post_.empty() && std::any_of(chunks_.begin(), chunks_.end(), copying);
}

void IncomingRoute::post_next() {
  while (!to_post_.empty() && !ring_.full()) {
    const std::uint64_t ticket = to_post_.front();
    Message& message = messages_[ticket];
    Chunk chunk{ticket, message.posted, ring_.take(), {}, std::nullopt};
    ReceiveWork part = message.work;
    part.message = {chunk.memory, ring_.size(chunk.which, message.work.message.size())};
    part.stream = {};
    chunk.received = tools_.inner.add(tools_.inner.communicator().receive(part));
    chunks_.push_back(chunk);
    if (++message.posted == ring_.chunks_of(message.work.message.size())) to_post_.pop_front();
  }
}

void IncomingRoute::land(Chunk& chunk, const Completion& received) {
  Message& message = messages_[chunk.message];
  const std::span<std::byte> all = message.work.message;
  if (const std::size_t size = ring_.size(chunk.which, all.size()); size > 0)
    tools_.device.copy(all.data() + ring_.offset(chunk.which), chunk.memory, size, message.copies);
  chunk.copied = tools_.events.record(message.copies);
  message.moving = std::min(message.moving.value_or(received.moving), received.moving);
  if (++message.landed < ring_.chunks_of(all.size())) return;
  tools_.device.wait(message.work.stream, *chunk.copied);
  tools_.over.end({chunk.message}, *message.moving);
  messages_.erase(chunk.message);
}

void IncomingRoute::free_copied() {
  std::erase_if(chunks_, [&](const Chunk& chunk) {
    if (!chunk.copied || !tools_.device.has_happened(*chunk.copied)) return false;
    tools_.events.give_back(*chunk.copied);
    ring_.give_back(chunk.memory);
    return true;
  });
}

}  // namespace quintet::engine
