#include "engine/executor/local_world.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <tuple>

#include "engine/executor/combine.h"
#include "engine/executor/rank_error.h"
#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

// Communicator, first rank of the group, which use.
using MeetingKey = std::tuple<std::int32_t, std::int32_t, std::uint64_t>;
// From, to, tag.
using MailKey = std::tuple<std::int32_t, std::int32_t, std::uint64_t>;

struct Over {
  Clock::time_point moving, end;
};

struct Meeting {
  std::vector<CollectiveWork> works;   // by place in the group
  std::vector<std::uint64_t> tickets;  // likewise
  std::size_t arrived = 0;
};

struct WaitingReceive {
  std::uint64_t ticket = 0;
  std::span<std::byte> message;
};

struct MailBox {
  std::deque<std::vector<std::byte>> letters;
  std::deque<WaitingReceive> receives;
};

}  // namespace

// All state of the world, under one lock.
class LocalWorld::Shared {
 public:
  explicit Shared(const Program& program) : program_(program) {}

  Ticket start(Rank rank, const CollectiveWork& work) {
    const std::lock_guard lock(mutex_);
    const Ticket ticket{++last_ticket_};
    const std::vector<Rank> group =
        group_of(program_.grid, program_.communicators[work.communicator.index()], rank);
    const auto place = std::find(group.begin(), group.end(), rank);
    if (place == group.end()) {
      fail({of(rank), "is no member of the communicator it uses"});
      return ticket;
    }
    join(group, static_cast<std::size_t>(place - group.begin()),
         {work.communicator.value, group.front().value, work.use}, work, ticket);
    return ticket;
  }

  Ticket send(MailKey key, std::span<const std::byte> message) {
    const std::lock_guard lock(mutex_);
    const Ticket ticket{++last_ticket_};
    boxes_[key].letters.emplace_back(message.begin(), message.end());
    over_[ticket.number] = now();
    deliver(key);
    return ticket;
  }

  Ticket receive(MailKey key, std::span<std::byte> message) {
    const std::lock_guard lock(mutex_);
    const Ticket ticket{++last_ticket_};
    boxes_[key].receives.push_back({ticket.number, message});
    deliver(key);
    return ticket;
  }

  Result<std::vector<Completion>> finished(std::span<const Ticket> tickets, Patience patience) {
    std::unique_lock lock(mutex_);
    std::vector<Completion> found;
    const auto look = [&] { return failure_.has_value() || take(tickets, found); };
    if (!look() && patience == Patience::until_one_is_over) changed_.wait(lock, look);
    if (failure_) return *failure_;
    return found;
  }

  void abort(const Error& cause) {
    const std::lock_guard lock(mutex_);
    fail(cause);
  }

 private:
  static std::string of(Rank rank) { return "rank " + std::to_string(rank.value); }
  static Over now() { return {Clock::now(), Clock::now()}; }

  void fail(const Error& cause) {
    if (!failure_) failure_ = cause;
    changed_.notify_all();
  }

  void join(const std::vector<Rank>& group, std::size_t place, const MeetingKey& key,
            const CollectiveWork& work, Ticket ticket) {
    if (failure_) return;  // the buffers of others may be gone
    Meeting& meeting = meetings_[key];
    meeting.works.resize(group.size());
    meeting.tickets.resize(group.size());
    meeting.works[place] = work;
    meeting.tickets[place] = ticket.number;
    if (++meeting.arrived < group.size()) return;
    if (const auto wrong = disagreement(meeting.works))
      return fail({of(group.front()) + " to " + of(group.back()), *wrong});
    Over over = now();
    combine(meeting.works);
    over.end = Clock::now();
    for (const std::uint64_t each : meeting.tickets) over_[each] = over;
    meetings_.erase(key);
    changed_.notify_all();
  }

  void deliver(const MailKey& key) {
    if (failure_) return;
    MailBox& box = boxes_[key];
    if (box.letters.empty() || box.receives.empty()) return;
    const std::vector<std::byte>& letter = box.letters.front();
    const WaitingReceive& waiting = box.receives.front();
    if (letter.size() != waiting.message.size())
      return fail({of(Rank{std::get<0>(key)}), "sent " + std::to_string(letter.size()) +
                                                   " bytes to " + of(Rank{std::get<1>(key)}) +
                                                   ", which expected " +
                                                   std::to_string(waiting.message.size())});
    std::copy(letter.begin(), letter.end(), waiting.message.begin());
    over_[waiting.ticket] = now();
    boxes_.erase(key_without_front(key, box));
    changed_.notify_all();
  }

  // Takes the delivered letter out; a key to erase when the box is empty, else one that is nowhere.
  static MailKey key_without_front(const MailKey& key, MailBox& box) {
    box.letters.pop_front();
    box.receives.pop_front();
    return box.letters.empty() && box.receives.empty() ? key : MailKey{-1, -1, 0};
  }

  bool take(std::span<const Ticket> tickets, std::vector<Completion>& found) {
    for (std::size_t place = 0; place < tickets.size(); ++place) {
      const auto over = over_.find(tickets[place].number);
      if (over == over_.end()) continue;
      found.push_back({place, over->second.moving, over->second.end});
      over_.erase(over);
    }
    return !found.empty();
  }

  const Program program_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t last_ticket_ = 0;
  std::map<MeetingKey, Meeting> meetings_;
  std::map<MailKey, MailBox> boxes_;
  std::map<std::uint64_t, Over> over_;  // by ticket, until asked about
  std::optional<Error> failure_;
};

class LocalWorld::LocalRank : public Communicator {
 public:
  LocalRank(Shared& shared, Rank rank) : shared_(shared), rank_(rank) {}

  Ticket start(const CollectiveWork& work) override { return shared_.start(rank_, work); }
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
    return shared_.finished(tickets, patience);
  }
  void abort(const Error& cause) override { shared_.abort(blamed_on(rank_, cause)); }

 private:
  Shared& shared_;
  Rank rank_;
};

LocalWorld::LocalWorld(const Program& program) : shared_(std::make_unique<Shared>(program)) {
  for (int rank = 0; rank < world_size(program.grid); ++rank)
    ranks_.push_back(std::make_unique<LocalRank>(*shared_, Rank{rank}));
}

LocalWorld::~LocalWorld() = default;

Communicator& LocalWorld::rank(Rank rank) {
  return *ranks_[rank.index()];
}

}  // namespace quintet::engine
