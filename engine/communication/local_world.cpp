#include "engine/communication/local_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <tuple>

#include "engine/communication/combine.h"
#include "engine/communication/ticket_board.h"
#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

// Communicator, first rank of the group, which use.
using MeetingKey = std::tuple<std::int32_t, std::int32_t, std::uint64_t>;
// From, to, tag.
using MailKey = std::tuple<std::int32_t, std::int32_t, std::uint64_t>;

struct Meeting {
  std::vector<CollectiveCall> works;  // by place in the group
  std::vector<Ticket> tickets;        // likewise
  std::size_t arrived = 0;
};

struct WaitingReceive {
  Ticket ticket;
  std::span<std::byte> message;
};

struct Mail {
  std::deque<std::vector<std::byte>> letters;
  std::deque<WaitingReceive> receives;
};

}  // namespace

// All state of the world, under the board's lock.
class LocalWorld::Shared {
 public:
  explicit Shared(const Program& program) : program_(program) {}

  TicketBoard& board() { return board_; }

  Ticket start(Rank rank, const CollectiveCall& work) {
    return board_.begin([&](Ticket ticket) { join(rank, work, ticket); });
  }

  Ticket send(const MailKey& key, std::span<const std::byte> message) {
    return board_.begin([&](Ticket ticket) {
      mail_[key].letters.emplace_back(message.begin(), message.end());
      end_now(ticket);
      deliver(key);
    });
  }

  Ticket receive(const MailKey& key, std::span<std::byte> message) {
    return board_.begin([&](Ticket ticket) {
      mail_[key].receives.push_back({ticket, message});
      deliver(key);
    });
  }

 private:
  static std::string of(Rank rank) { return fmt::format("rank {}", rank.value); }

  void end_now(Ticket ticket) {
    const Clock::time_point now = Clock::now();
    board_.end(ticket, now, now);
  }

  void join(Rank rank, const CollectiveCall& work, Ticket ticket) {
    const std::vector<Rank> group =
        group_of(program_.grid, program_.communicators[work.communicator.index()], rank);
    const auto found = std::find(group.begin(), group.end(), rank);
    if (found == group.end())
      return board_.fail({of(rank), "is no member of the communicator it uses"});
    const auto place = static_cast<std::size_t>(found - group.begin());
    const MeetingKey key{work.communicator.value, group.front().value, work.use.value_or(0)};
    Meeting& meeting = meetings_[key];
    meeting.works.resize(group.size());
    meeting.tickets.resize(group.size());
    meeting.works[place] = work;
    meeting.tickets[place] = ticket;
    if (++meeting.arrived < group.size()) return;
    if (const auto wrong = disagreement(meeting.works))
      return board_.fail({of(group.front()) + " to " + of(group.back()), *wrong});
    meet(meeting);
    meetings_.erase(key);
  }

  void meet(const Meeting& meeting) {
    const Clock::time_point moving = Clock::now();
    combine(meeting.works);
    const Clock::time_point end = Clock::now();
    for (const Ticket each : meeting.tickets) board_.end(each, moving, end);
  }

  void deliver(const MailKey& key) {
    Mail& mail = mail_[key];
    if (mail.letters.empty() || mail.receives.empty()) return;
    const std::vector<std::byte>& letter = mail.letters.front();
    const WaitingReceive& waiting = mail.receives.front();
    if (letter.size() != waiting.message.size())
      return board_.fail({of(Rank{std::get<0>(key)}),
                          fmt::format("sent {} bytes to {}, which expected {}", letter.size(),
                                      of(Rank{std::get<1>(key)}), waiting.message.size())});
    std::copy(letter.begin(), letter.end(), waiting.message.begin());
    end_now(waiting.ticket);
    mail.letters.pop_front();
    mail.receives.pop_front();
    if (mail.letters.empty() && mail.receives.empty()) mail_.erase(key);
  }

  const Program program_;
  TicketBoard board_;
  std::map<MeetingKey, Meeting> meetings_;
  std::map<MailKey, Mail> mail_;
};

class LocalWorld::LocalRank : public CommunicationBackend {
 public:
  LocalRank(Shared& shared, Rank rank) : shared_(shared), rank_(rank) {}

  Ticket start(const CollectiveCall& work) override { return shared_.start(rank_, work); }
  Ticket send(const SendWork& work) override {
    return shared_.send({rank_.value, work.to.value, label_of(work.payload, work.tag)},
                        work.message);
  }
  Ticket receive(const ReceiveWork& work) override {
    return shared_.receive({work.from.value, rank_.value, label_of(work.payload, work.tag)},
                           work.message);
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

LocalWorld::LocalWorld(const Program& program) : shared_(std::make_unique<Shared>(program)) {
  for (int rank = 0; rank < world_size(program.grid); ++rank)
    ranks_.push_back(std::make_unique<LocalRank>(*shared_, Rank{rank}));
}

LocalWorld::~LocalWorld() = default;

CommunicationBackend& LocalWorld::rank(Rank rank) {
  return *ranks_[rank.index()];
}

}  // namespace quintet::engine
