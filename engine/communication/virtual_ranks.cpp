#include "engine/communication/virtual_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <map>
#include <stdexcept>
#include <tuple>

#include "engine/communication/combine.h"
#include "engine/communication/device_collective.h"
#include "engine/communication/ticket_board.h"
#include "engine/device/await_end.h"
#include "engine/device/event_pool.h"
#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

// Communicator, first rank of the group.
using GroupKey = std::pair<std::int32_t, std::int32_t>;
// ... and which use.
using MeetingKey = std::pair<GroupKey, std::uint64_t>;
// From, to, label.
using MailKey = std::tuple<std::int32_t, std::int32_t, std::uint64_t>;

struct Meeting {
  std::vector<CollectiveCall> works;  // by place in the group
  std::vector<Ticket> tickets;        // likewise
  std::vector<kernels::StreamEvent>
      ready;  // likewise: what was on the member's stream when it came
  std::size_t arrived = 0;
};

// One side of a message that waits for the other.
template <class Work>
struct Waiting {
  Work work;
  Ticket ticket;
  kernels::StreamEvent ready;
};

struct Mail {
  std::deque<Waiting<SendWork>> sends;
  std::deque<Waiting<ReceiveWork>> receives;
};

std::string of(Rank rank) {
  return fmt::format("rank {}", rank.value);
}

}  // namespace

// All state, under the board's lock.
class VirtualRanks::Shared {
 public:
  Shared(const Program& program, kernels::Device& device)
      : program_(program), device_(device), kernels_(device.make_kernels()), events_(device) {}
  ~Shared() {
    for (const auto& [group, stream] : streams_) {
      end(stream);
      device_.destroy(stream);
    }
  }

  // What the device refuses ends the job.
  template <class Queue>
  Ticket begin(Rank rank, Queue queue) {
    return board_.begin([&](Ticket ticket) {
      try {
        queue(ticket);
      } catch (const std::exception& refused) {
        board_.fail({of(rank), refused.what()});
      }
    });
  }

  void join(Rank rank, const CollectiveCall& work, Ticket ticket);
  void send(Rank from, const SendWork& work, Ticket ticket);
  void receive(Rank to, const ReceiveWork& work, Ticket ticket);

  TicketBoard& board() { return board_; }

 private:
  // As far as the device goes on.
  void end(const kernels::Stream& stream) {
    constexpr std::chrono::seconds within{60};
    try {
      await_end(device_, stream, within, "collectives");
    } catch (const std::runtime_error&) {
    }
  }
  kernels::Stream& stream_of(const GroupKey& group) {
    const auto found = streams_.find(group);
    if (found != streams_.end()) return found->second;
    return streams_.emplace(group, device_.make_stream()).first->second;
  }

  void meet(const GroupKey& group, const Meeting& meeting);
  void deliver(const MailKey& key);

  const Program program_;
  TicketBoard board_;
  kernels::Device& device_;
  std::unique_ptr<kernels::Kernels> kernels_;
  EventPool events_;
  std::map<GroupKey, kernels::Stream> streams_;
  std::map<MeetingKey, Meeting> meetings_;
  std::map<MailKey, Mail> mail_;
};

void VirtualRanks::Shared::join(Rank rank, const CollectiveCall& work, Ticket ticket) {
  const std::vector<Rank> group =
      group_of(program_.grid, program_.communicators[work.communicator.index()], rank);
  const auto found = std::find(group.begin(), group.end(), rank);
  if (found == group.end())
    return board_.fail({of(rank), "is no member of the communicator it uses"});
  const auto place = static_cast<std::size_t>(found - group.begin());
  const MeetingKey key{{work.communicator.value, group.front().value}, work.use.value_or(0)};
  Meeting& meeting = meetings_[key];
  meeting.works.resize(group.size());
  meeting.tickets.resize(group.size());
  meeting.ready.resize(group.size());
  meeting.works[place] = work;
  meeting.tickets[place] = ticket;
  meeting.ready[place] = events_.record(work.stream);
  if (++meeting.arrived < group.size()) return;
  if (const auto wrong = disagreement(meeting.works))
    return board_.fail({of(group.front()) + " to " + of(group.back()), *wrong});
  meet(key.first, meeting);
  meetings_.erase(key);
}

// On a stream of the group's own, so that collectives of other groups go on beside it.
void VirtualRanks::Shared::meet(const GroupKey& group, const Meeting& meeting) {
  kernels::Stream& stream = stream_of(group);
  for (const kernels::StreamEvent ready : meeting.ready) {
    device_.wait(stream, ready);
    events_.give_back(ready);
  }
  queue_collective(device_, *kernels_, stream, meeting.works);
  for (const CollectiveCall& work : meeting.works) events_.order(stream, work.stream);
  const Clock::time_point now = Clock::now();
  for (const Ticket each : meeting.tickets) board_.end(each, now, now);
}

void VirtualRanks::Shared::send(Rank from, const SendWork& work, Ticket ticket) {
  const MailKey key{from.value, work.to.value, label_of(work.payload, work.tag)};
  mail_[key].sends.push_back({work, ticket, events_.record(work.stream)});
  deliver(key);
}

void VirtualRanks::Shared::receive(Rank to, const ReceiveWork& work, Ticket ticket) {
  const MailKey key{work.from.value, to.value, label_of(work.payload, work.tag)};
  mail_[key].receives.push_back({work, ticket, events_.record(work.stream)});
  deliver(key);
}

// On the receiver's stream; the sender's waits for it, since the message's memory is its own again
// afterwards.
void VirtualRanks::Shared::deliver(const MailKey& key) {
  Mail& mail = mail_[key];
  if (mail.sends.empty() || mail.receives.empty()) return;
  const Waiting<SendWork> sent = mail.sends.front();
  const Waiting<ReceiveWork> wanted = mail.receives.front();
  mail.sends.pop_front();
  mail.receives.pop_front();
  if (mail.sends.empty() && mail.receives.empty()) mail_.erase(key);
  const auto& [from, to, label] = key;
  const std::size_t size = sent.work.message.size();
  if (size != wanted.work.message.size())
    return board_.fail({of(Rank{from}), fmt::format("sent {} bytes to {}, which expected {}", size,
                                                    of(Rank{to}), wanted.work.message.size())});
  device_.wait(wanted.work.stream, sent.ready);
  if (size > 0)
    device_.copy(wanted.work.message.data(), sent.work.message.data(), size, wanted.work.stream);
  events_.order(wanted.work.stream, sent.work.stream);
  events_.give_back(sent.ready);
  events_.give_back(wanted.ready);
  const Clock::time_point now = Clock::now();
  board_.end(sent.ticket, now, now);
  board_.end(wanted.ticket, now, now);
}

class VirtualRanks::Member final : public CommunicationBackend {
 public:
  Member(Shared& shared, Rank rank) : shared_(shared), rank_(rank) {}

  Ticket start(const CollectiveCall& work) override {
    return shared_.begin(rank_, [&](Ticket ticket) { shared_.join(rank_, work, ticket); });
  }
  Ticket send(const SendWork& work) override {
    return shared_.begin(rank_, [&](Ticket ticket) { shared_.send(rank_, work, ticket); });
  }
  Ticket receive(const ReceiveWork& work) override {
    return shared_.begin(rank_, [&](Ticket ticket) { shared_.receive(rank_, work, ticket); });
  }
  Result<std::vector<Completion>> finished(std::span<const Ticket> tickets,
                                           Patience patience) override {
    return shared_.board().finished(tickets, patience);
  }
  void abort(const Error& cause) override { shared_.board().abort(blamed_on(rank_, cause)); }

 private:
  Shared& shared_;
  Rank rank_;
};

VirtualRanks::VirtualRanks(const Program& program, kernels::Device& device)
    : shared_(std::make_unique<Shared>(program, device)) {
  for (int rank = 0; rank < world_size(program.grid); ++rank)
    ranks_.push_back(std::make_unique<Member>(*shared_, Rank{rank}));
}

Result<std::unique_ptr<VirtualRanks>> VirtualRanks::make(const Program& program,
                                                         kernels::Device& device) {
  constexpr int most = kernels::Combine::most_terms;
  for (const quintet::Communicator& communicator : program.communicators)
    if (const int size = group_size(program.grid, communicator); size > most)
      return Error{"communicator \"" + communicator.name + "\"",
                   fmt::format("has {} members; on one GPU at most {} are added up", size, most)};
  return std::unique_ptr<VirtualRanks>(new VirtualRanks(program, device));
}

VirtualRanks::~VirtualRanks() = default;

CommunicationBackend& VirtualRanks::rank(Rank rank) {
  return *ranks_[rank.index()];
}

}  // namespace quintet::engine
