#include "engine/launch/rendezvous/rendezvous_link.h"

#include <fmt/format.h>

#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <thread>

#include "engine/launch/rendezvous/rendezvous_frames.h"

namespace quintet::engine {

namespace {

constexpr std::size_t answer_limit = 4096;
constexpr std::size_t members_limit = std::size_t{64} << 20;

// A server that is not there yet, or was too busy, is tried again.
enum class Next { go_on, try_again, give_up };
struct Attempt {
  Next next = Next::go_on;
  Error error;
};

void wait_for(int descriptor, short events, Clock::time_point until) {
  const auto left = std::chrono::ceil<Milliseconds>(until - Clock::now());
  pollfd one{descriptor, events, 0};
  poll(&one, 1, static_cast<int>(std::clamp(left, Milliseconds(0), Milliseconds(100)).count()));
}

Result<Frame> next_frame(FrameConnection& connection, Clock::time_point deadline) {
  while (true) {
    if (std::optional<Frame> frame = connection.next()) return *std::move(frame);
    if (connection.broken()) return Error{"rendezvous", "the server does not speak our protocol"};
    if (Clock::now() >= deadline) return Error{"rendezvous", "the server did not answer in time"};
    wait_for(connection.descriptor(), POLLIN, deadline);
    if (connection.read_some() == ConnectionState::closed)
      return Error{"rendezvous", "the server closed the connection"};
  }
}

std::string reason_of(const Frame& frame) {
  std::string reason;
  for (const std::byte byte : frame.body)
    if (const char letter = std::to_integer<char>(byte); letter >= ' ' && letter <= '~')
      reason += letter;
  return reason;
}

// The proofs of both sides. An invalid nonce or a frame out of turn is no server of ours.
Attempt prove(const JoinOptions& options, FrameKind kind, FrameConnection& connection,
              Clock::time_point deadline) {
  const Result<Frame> challenge = next_frame(connection, deadline);
  if (!challenge) return {Next::try_again, challenge.error()};
  const std::optional<Nonce> theirs = read_nonce(challenge->body);
  const Result<Nonce> ours = fresh_nonce();
  if (!ours) return {Next::give_up, ours.error()};
  if (challenge->kind != FrameKind::challenge || !theirs)
    return {Next::give_up, {"rendezvous", "what listens there is no rendezvous"}};
  const auto rank = static_cast<std::uint32_t>(options.rank.value);
  const Handshake handshake{*theirs, *ours, rank, static_cast<std::uint32_t>(options.world)};
  connection.send(kind, join_body({rendezvous_version, rank, handshake.world, *ours,
                                   rank_proof(options.token, handshake)}));
  const Result<Frame> answer = next_frame(connection, deadline);
  if (!answer) return {Next::try_again, answer.error()};
  if (answer->kind == FrameKind::refused)
    return {Next::give_up, {"rendezvous", "refused: " + reason_of(*answer)}};
  const std::optional<Nonce> proof = read_nonce(answer->body);
  if (answer->kind != FrameKind::welcome || !proof ||
      !equal(*proof, server_proof(options.token, handshake)))
    return {Next::give_up, {"rendezvous", "the server does not know this job's token"}};
  return {};
}

Error with_place(const Error& error, const JoinOptions& options) {
  return {"rendezvous " + options.server.text(), error.text()};
}

}  // namespace

RendezvousLink::RendezvousLink(const JoinOptions& options, std::vector<FrameConnection> connections)
    : options_(options),
      connections_(std::move(connections)),
      closed_(connections_.size(), false),
      heard_(Clock::now()),
      said_(Clock::now()) {
  for (FrameConnection& connection : connections_) connection.allow(members_limit);
  if (connections_.size() == 1) return;
  any_ = Descriptor(epoll_create1(EPOLL_CLOEXEC));
  for (const FrameConnection& connection : connections_) {
    epoll_event event{};
    event.events = EPOLLIN;
    epoll_ctl(any_.number(), EPOLL_CTL_ADD, connection.descriptor(), &event);
  }
}

namespace {

// Tries again while nothing listens there.
Result<FrameConnection> connected(const JoinOptions& options, const SocketAddress& server,
                                  FrameKind kind, Clock::time_point deadline) {
  constexpr Milliseconds longest_pause{500};
  Milliseconds pause{10};
  while (true) {
    Result<Descriptor> socket = connect_to(server, deadline);
    Attempt attempt{Next::try_again, socket ? Error{} : socket.error()};
    if (socket) {
      FrameConnection connection(*std::move(socket), answer_limit);
      attempt = prove(options, kind, connection, deadline);
      if (attempt.next == Next::go_on) return connection;
    }
    if (attempt.next == Next::give_up || Clock::now() + pause >= deadline)
      return Error{"rendezvous " + server.text(), attempt.error.text()};
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, longest_pause);
  }
}

}  // namespace

Result<std::unique_ptr<RendezvousLink>> RendezvousLink::join(const JoinOptions& options) {
  if (options.token.size() < shortest_token)
    return Error{"rendezvous",
                 fmt::format("a token of at least {} characters is required", shortest_token)};
  const Clock::time_point deadline = Clock::now() + options.within;
  std::vector<FrameConnection> connections;
  Result<FrameConnection> first = connected(options, options.server, FrameKind::join, deadline);
  if (!first) return first.error();
  connections.push_back(*std::move(first));
  for (const SocketAddress& server : options.server_elsewhere) {
    Result<FrameConnection> other = connected(options, server, FrameKind::join_again, deadline);
    if (!other) return other.error();
    connections.push_back(*std::move(other));
  }
  return std::unique_ptr<RendezvousLink>(new RendezvousLink(options, std::move(connections)));
}

Result<std::vector<WorkerAddress>> RendezvousLink::exchange(const WorkerAddress& mine) {
  connections_[0].send(FrameKind::address, mine);
  const Clock::time_point deadline = Clock::now() + options_.within;
  while (!members_ && !failure_ && Clock::now() < deadline) {
    const short writing = connections_[0].has_unsent() ? POLLOUT : short{0};
    wait_for(connections_[0].descriptor(), static_cast<short>(POLLIN | writing), deadline);
    advance(Clock::now());
  }
  if (members_) return *members_;
  if (failure_) return failure_->error();
  return with_place({"", "not all ranks had joined in time"}, options_);
}

bool RendezvousLink::has_unsent() const {
  return std::any_of(connections_.begin(), connections_.end(),
                     [](const FrameConnection& connection) { return connection.has_unsent(); });
}

void RendezvousLink::say(FrameKind kind, std::span<const std::byte> body) {
  for (std::size_t i = 0; i < connections_.size(); ++i)
    if (!closed_[i]) connections_[i].send(kind, body);
}

void RendezvousLink::advance(Clock::time_point now) {
  if (failure_ || everyone_left_) return;
  if (now - said_ >= options_.pulse.interval) {
    said_ = now;
    say(FrameKind::heartbeat, {});
  }
  bool broken = false;
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    if (closed_[i]) continue;
    connections_[i].flush();
    const ConnectionState stream = connections_[i].read_some();
    while (const std::optional<Frame> frame = connections_[i].next()) {
      heard_ = now;
      handle(*frame);
    }
    broken = broken || connections_[i].broken();
    if (stream == ConnectionState::closed) close(i);
  }
  if (std::find(closed_.begin(), closed_.end(), false) == closed_.end())
    return lose("its connection closed");
  if (broken) return lose("it broke the protocol");
  if (now - heard_ >= options_.pulse.silence) lose("it has been silent for too long");
}

// A closed one would be readable for ever.
void RendezvousLink::close(std::size_t connection) {
  closed_[connection] = true;
  if (any_.open())
    epoll_ctl(any_.number(), EPOLL_CTL_DEL, connections_[connection].descriptor(), nullptr);
}

void RendezvousLink::lose(const std::string& how) {
  if (failure_ || everyone_left_) return;
  const bool is_of_a_rank = options_.host_of_server.valid();
  failure_ = {options_.host_of_server,
              (is_of_a_rank ? "it holds the rendezvous, and " : "the rendezvous is lost: ") + how};
}

void RendezvousLink::handle(const Frame& frame) {
  if (failure_) return;
  switch (frame.kind) {
    case FrameKind::members:
      members_ = read_members(frame.body, options_.world);
      if (!members_) lose("its table of members is cut");
      return;
    case FrameKind::abort:
      failure_ = read_failure(frame.body, options_.world);
      if (!failure_) lose("its report is cut");
      return;
    case FrameKind::everyone_left:
      everyone_left_ = true;
      return;
    case FrameKind::heartbeat:
      return;
    case FrameKind::challenge:
    case FrameKind::join:
    case FrameKind::join_again:
    case FrameKind::welcome:
    case FrameKind::refused:
    case FrameKind::address:
    case FrameKind::suspect:
    case FrameKind::late:
    case FrameKind::leave:
      return lose("it broke the protocol");
  }
}

void RendezvousLink::suspect(const Failure& failure) {
  say(FrameKind::suspect, failure_body(failure));
}

void RendezvousLink::late(const Failure& failure) {
  say(FrameKind::late, failure_body(failure));
}

void RendezvousLink::abort(const Failure& failure) {
  say(FrameKind::abort, failure_body(failure));
}

void RendezvousLink::leave() {
  say(FrameKind::leave, {});
}

}  // namespace quintet::engine
