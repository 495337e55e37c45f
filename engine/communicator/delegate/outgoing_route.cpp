#include "engine/communicator/delegate/outgoing_route.h"

namespace quintet::engine {

void OutgoingRoute::add(const SendWork& work, Ticket ticket, const kernels::Stream& copies) {
  messages_.push_back({work, ticket, copies, 0});
  copy_next();
}

void OutgoingRoute::advance() {
  free_sent();
  hand_over();
  copy_next();
}

bool OutgoingRoute::waits_for_copy() const {
  return !chunks_.empty() && !chunks_.back().sent;
}

void OutgoingRoute::free_sent() {
  std::erase_if(chunks_, [&](const Chunk& chunk) {
    if (!chunk.sent || !tools_.inner.take(*chunk.sent)) return false;
    ring_.give_back(chunk.memory);
    return true;
  });
}

void OutgoingRoute::hand_over() {
  for (Chunk& chunk : chunks_) {
    if (chunk.sent) continue;
    if (!tools_.device.has_happened(chunk.copied)) return;
    tools_.events.give_back(chunk.copied);
    chunk.sent = tools_.inner.add(tools_.inner.communicator().send(chunk.part));
    if (!moving_) moving_ = Clock::now();
    if (chunk.place == Place::within) continue;
    tools_.over.end(chunk.message, *moving_);
    moving_.reset();
  }
}

void OutgoingRoute::copy_next() {
  while (!messages_.empty() && !ring_.full()) {
    Message& message = messages_.front();
    const std::span<const std::byte> all = message.work.message;
    const std::size_t size = ring_.size(message.copied, all.size());
    Chunk chunk;
    chunk.memory = ring_.take();
    if (size > 0)
      tools_.device.copy(chunk.memory, all.data() + ring_.offset(message.copied), size,
                         message.copies);
    chunk.copied = tools_.events.record(message.copies);
    chunk.part = message.work;
    chunk.part.message = {chunk.memory, size};
    chunk.part.stream = {};
    chunk.message = message.ticket;
    const bool last = ++message.copied == ring_.chunks_of(all.size());
    if (last) chunk.place = Place::last;
    chunks_.push_back(chunk);
    if (last) messages_.pop_front();
  }
}

}  // namespace quintet::engine
