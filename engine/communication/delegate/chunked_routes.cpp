#include "engine/communication/delegate/chunked_routes.h"

#include <algorithm>

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
    if (!chunk.sent || !parts_.inner.take(*chunk.sent)) return false;
    ring_.give_back(chunk.memory);
    return true;
  });
}

void OutgoingRoute::hand_over() {
  for (Chunk& chunk : chunks_) {
    if (chunk.sent) continue;
    if (!parts_.device.has_happened(chunk.copied)) return;
    parts_.events.give_back(chunk.copied);
    chunk.sent = parts_.inner.add(parts_.inner.backend().send(chunk.part));
    if (!moving_) moving_ = Clock::now();
    if (chunk.place == Place::within) continue;
    parts_.over.end(chunk.message, *moving_);
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
      parts_.device.copy(chunk.memory, all.data() + ring_.offset(message.copied), size,
                         message.copies);
    chunk.copied = parts_.events.record(message.copies);
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

void IncomingRoute::add(const ReceiveWork& work, Ticket ticket, const kernels::Stream& copies) {
  messages_[ticket.number] = {work, copies, 0, 0, std::nullopt};
  to_post_.push_back(ticket.number);
  post_next();
}

void IncomingRoute::advance() {
  for (Chunk& chunk : chunks_) {
    if (chunk.copied) continue;
    if (const auto received = parts_.inner.take(chunk.received)) land(chunk, *received);
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
    chunk.received = parts_.inner.add(parts_.inner.backend().receive(part));
    chunks_.push_back(chunk);
    if (++message.posted == ring_.chunks_of(message.work.message.size())) to_post_.pop_front();
  }
}

void IncomingRoute::land(Chunk& chunk, const Completion& received) {
  Message& message = messages_[chunk.message];
  const std::span<std::byte> all = message.work.message;
  if (const std::size_t size = ring_.size(chunk.which, all.size()); size > 0)
    parts_.device.copy(all.data() + ring_.offset(chunk.which), chunk.memory, size, message.copies);
  chunk.copied = parts_.events.record(message.copies);
  message.moving = std::min(message.moving.value_or(received.moving), received.moving);
  if (++message.landed < ring_.chunks_of(all.size())) return;
  parts_.device.wait(message.work.stream, *chunk.copied);
  parts_.over.end({chunk.message}, *message.moving);
  messages_.erase(chunk.message);
}

void IncomingRoute::free_copied() {
  std::erase_if(chunks_, [&](const Chunk& chunk) {
    if (!chunk.copied || !parts_.device.has_happened(*chunk.copied)) return false;
    parts_.events.give_back(*chunk.copied);
    ring_.give_back(chunk.memory);
    return true;
  });
}

}  // namespace quintet::engine
