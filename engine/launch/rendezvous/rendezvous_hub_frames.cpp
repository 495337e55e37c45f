// What the rendezvous does with what it is told, and when time has passed.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "engine/launch/rendezvous/rendezvous_frames.h"
#include "engine/launch/rendezvous/rendezvous_hub.h"

namespace quintet::engine {

namespace {

std::string seconds_text(Milliseconds time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", static_cast<double>(time.count()) / 1000.0);
  return text;
}

}  // namespace

RendezvousHub::Keep RendezvousHub::handle(ConnectionId id, Visitor& visitor, const Frame& frame) {
  if (!visitor.rank.valid())
    return frame.kind == FrameKind::join || frame.kind == FrameKind::join_again
               ? join(id, visitor, frame)
               : Keep::no;
  switch (frame.kind) {
    case FrameKind::address:
      return take_address(visitor, frame);
    case FrameKind::suspect:
    case FrameKind::late:
    case FrameKind::abort:
      return take_report(visitor, frame);
    case FrameKind::leave:
      return take_leave(visitor);
    case FrameKind::heartbeat:
      return Keep::yes;
    case FrameKind::challenge:
    case FrameKind::join:
    case FrameKind::join_again:
    case FrameKind::welcome:
    case FrameKind::refused:
    case FrameKind::members:
    case FrameKind::everyone_left:
      return Keep::no;
  }
  return Keep::no;
}

RendezvousHub::Keep RendezvousHub::join(ConnectionId id, Visitor& visitor, const Frame& frame) {
  const std::optional<JoinMessage> message = read_join(frame.body);
  if (!message || message->version != rendezvous_version) return Keep::no;
  const Handshake handshake{visitor.nonce, message->nonce, message->rank, message->world};
  if (!equal(message->proof, rank_proof(options_.token, handshake)))
    return refuse(visitor, "the token is not this job's");
  if (const auto reason = misfit(*message, frame.kind)) return refuse(visitor, *reason);
  const Rank rank{static_cast<std::int32_t>(message->rank)};
  visitor.rank = rank;
  constexpr std::size_t member_limit = 64 * 1024;
  visitor.connection.allow(member_limit);
  visitor.connection.send(FrameKind::welcome, server_proof(options_.token, handshake));
  strangers_.erase(id);
  if (frame.kind == FrameKind::join) members_[rank].connection = id;
  if (announced_)  // too late: the job has failed already
    visitor.connection.send(FrameKind::abort, failure_body(*verdict_.at(visitor.heard)));
  return Keep::yes;
}

std::optional<std::string> RendezvousHub::misfit(const JoinMessage& message, FrameKind kind) const {
  const auto world = static_cast<std::uint32_t>(options_.world);
  if (message.world != world || message.rank >= world)
    return fmt::format("this job has {} ranks; rank {} of {} does not fit in", world, message.rank,
                       message.world);
  const bool has_joined = members_.contains(Rank{static_cast<std::int32_t>(message.rank)});
  if (has_joined && kind == FrameKind::join)
    return fmt::format("rank {} has joined already", message.rank);
  if (!has_joined && kind == FrameKind::join_again)
    return fmt::format("rank {} has not joined yet", message.rank);
  return std::nullopt;
}

RendezvousHub::Keep RendezvousHub::refuse(Visitor& visitor, const std::string& reason) {
  BodyWriter body;
  body.text(reason);
  visitor.connection.send(FrameKind::refused, body.body());
  return Keep::no;
}

RendezvousHub::Keep RendezvousHub::take_address(const Visitor& visitor, const Frame& frame) {
  Member& member = members_[visitor.rank];
  if (!member.address.empty() || frame.body.empty()) return Keep::no;
  member.address = frame.body;
  const auto has_address = [](const auto& entry) { return !entry.second.address.empty(); };
  if (static_cast<int>(members_.size()) < options_.world ||
      !std::all_of(members_.begin(), members_.end(), has_address))
    return Keep::yes;
  complete_ = true;
  listening_.clear();
  while (!strangers_.empty()) drop_oldest_stranger();
  BodyWriter table;
  for (const auto& [rank, one] : members_) table.block(one.address);
  tell_everyone(FrameKind::members, table.body());
  return Keep::yes;
}

RendezvousHub::Keep RendezvousHub::take_report(const Visitor& visitor, const Frame& frame) {
  const std::optional<Failure> failure = read_failure(frame.body, options_.world);
  if (!failure) return Keep::no;
  if (frame.kind == FrameKind::abort)
    verdict_.failed(*failure);
  else
    verdict_.suspected(visitor.rank, *failure, Clock::now());
  return Keep::yes;
}

RendezvousHub::Keep RendezvousHub::take_leave(const Visitor& visitor) {
  members_[visitor.rank].left = true;
  const auto left = [](const auto& entry) { return entry.second.left; };
  if (static_cast<int>(members_.size()) == options_.world &&
      std::all_of(members_.begin(), members_.end(), left))
    tell_everyone(FrameKind::everyone_left, {});
  return Keep::yes;
}

void RendezvousHub::look_at_the_clock(Clock::time_point now) {
  drop_slow_strangers(now);
  if (now - last_pulse_ >= options_.pulse.interval) {
    last_pulse_ = now;
    tell_everyone(FrameKind::heartbeat, {});
  }
  find_the_silent(now);
  find_the_missing(now);
  announce_verdict(now);
}

void RendezvousHub::drop_slow_strangers(Clock::time_point now) {
  while (!strangers_.empty()) {
    const ConnectionId oldest = *strangers_.begin();
    if (now - visitors_.at(oldest).since < options_.handshake) return;
    drop(oldest, "");
  }
}

// What a member has said but was not read yet, others being served first, is not silence. One that
// has several connections is heard by any.
void RendezvousHub::find_the_silent(Clock::time_point now) {
  std::set<Rank> silent;
  std::set<Rank> heard;
  for (const auto& [id, visitor] : visitors_) {
    if (!visitor.rank.valid() || members_[visitor.rank].left) continue;
    if (now - visitor.heard >= options_.pulse.silence && !visitor.connection.has_unread())
      silent.insert(visitor.rank);
    else
      heard.insert(visitor.rank);
  }
  for (const Rank rank : silent)
    if (!heard.contains(rank))
      verdict_.failed({rank, "it has been silent for " + seconds_text(options_.pulse.silence)});
}

void RendezvousHub::find_the_missing(Clock::time_point now) {
  if (complete_ || now - started_ < options_.everyone_within) return;
  Rank missing{0};
  const auto present = [&](Rank rank) {
    const auto member = members_.find(rank);
    return member != members_.end() && !member->second.address.empty();
  };
  while (present(missing)) ++missing.value;
  verdict_.failed({missing, "it did not join within " + seconds_text(options_.everyone_within)});
}

void RendezvousHub::announce_verdict(Clock::time_point now) {
  const std::optional<Failure>& failure = verdict_.at(now);
  if (announced_ || !failure) return;
  announced_ = true;
  tell_everyone(FrameKind::abort, failure_body(*failure));
}

}  // namespace quintet::engine
