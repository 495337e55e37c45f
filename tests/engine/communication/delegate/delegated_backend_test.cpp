// What a device sends through its host, against the same among threads of the host. Every rank has
// a device of its own, which runs what is queued as late and in as odd an order as it may: over the
// seeds, an event that is missing shows as wrong numbers.
#include "engine/communication/delegate/delegated_backend.h"

#include <gtest/gtest.h>

#include "engine/communication/local_world.h"
#include "tests/stand_ins/device_memory.h"
#include "tests/stand_ins/fake_device.h"
#include "tests/support/one_collective.h"

namespace quintet::engine {
namespace {

constexpr std::uint64_t seeds = 20;
// Messages of 1,000 bytes are 16 chunks, of which 2 may be under way.
constexpr DelegateOptions small_chunks{64, 2};
constexpr std::size_t message_size = 1000;

struct TestRank {
  TestRank(const Program& program, int which, std::uint64_t seed, CommunicationBackend& inner,
           const DelegateOptions& options)
      : device(fake_device({.seed = seed * 100 + static_cast<std::uint64_t>(which), .pieces = 1})),
        stream(device->make_stream()),
        backend(std::make_unique<DelegatedBackend>(program, Rank{which}, *device, inner, options)) {
  }
  std::unique_ptr<kernels::Device> device;
  kernels::Stream stream;
  std::unique_ptr<DelegatedBackend> backend;
};

class DelegatedMessages : public testing::Test {
 protected:
  void make(int ranks, std::uint64_t seed, const DelegateOptions& options = small_chunks) {
    ranks_.clear();
    world_ = std::make_unique<LocalWorld>(test::one_group(ranks));
    for (int rank = 0; rank < ranks; ++rank)
      ranks_.push_back(std::make_unique<TestRank>(test::one_group(ranks), rank, seed,
                                                  world_->rank(Rank{rank}), options));
  }
  TestRank& rank(int which) { return *ranks_[static_cast<std::size_t>(which)]; }

  std::optional<Result<std::vector<Completion>>> asked(int which, Ticket ticket) {
    return rank(which).backend->finished(std::span(&ticket, 1), Patience::none);
  }
  bool is_over(int which, Ticket ticket) {
    const auto over = rank(which).backend->finished(std::span(&ticket, 1), Patience::none);
    EXPECT_TRUE(over) << (over ? "" : over.error().text());
    if (!over || over->empty()) return false;
    EXPECT_LE(over->front().moving, over->front().end);
    EXPECT_LE(over->front().end, Clock::now());
    return true;
  }
  // Asks in turn; every question lets a device do one thing.
  void until_over(std::vector<std::pair<int, Ticket>> waiting) {
    for (int round = 0; round < 100000 && !waiting.empty(); ++round)
      std::erase_if(waiting, [&](const auto& each) { return is_over(each.first, each.second); });
    ASSERT_TRUE(waiting.empty()) << "stands still";
  }

  Ticket send(int from, int to, DeviceMemory& message, std::uint64_t tag = 7) {
    return rank(from).backend->send(
        {.to = Rank{to}, .tag = tag, .message = message.span(), .stream = rank(from).stream});
  }
  Ticket receive(int to, int from, DeviceMemory& message, std::uint64_t tag = 7) {
    return rank(to).backend->receive(
        {.from = Rank{from}, .tag = tag, .message = message.span(), .stream = rank(to).stream});
  }

  std::unique_ptr<LocalWorld> world_;
  std::vector<std::unique_ptr<TestRank>> ranks_;
};

Bytes8 numbers(std::size_t size, int first) {
  Bytes8 made(size);
  for (std::size_t i = 0; i < size; ++i)
    made[i] = static_cast<std::byte>(static_cast<std::size_t>(first) + 7 * i);
  return made;
}

// --- messages

// The sender clears its memory as soon as its ticket is over; the receiver's is still read when it
// asks for the message. Three of one tag, so that chunks are used again and again.
TEST_F(DelegatedMessages, MessagesArriveWholeAndInOrder) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    make(2, seed);
    std::vector<std::unique_ptr<DeviceMemory>> out, in, kept;
    std::vector<std::pair<int, Ticket>> waiting;
    for (int i = 0; i < 3; ++i) {
      in.push_back(std::make_unique<DeviceMemory>(*rank(1).device, message_size));
      kept.push_back(std::make_unique<DeviceMemory>(*rank(1).device, message_size));
      in.back()->fill(numbers(message_size, 100 + i), rank(1).stream);
      rank(1).device->copy(kept.back()->span().data(), in.back()->span().data(), message_size,
                           rank(1).stream);
      waiting.emplace_back(1, receive(1, 0, *in.back()));
    }
    for (int i = 0; i < 3; ++i) {
      out.push_back(std::make_unique<DeviceMemory>(*rank(0).device, message_size));
      out.back()->fill(numbers(message_size, i), rank(0).stream);
      until_over({{0, send(0, 1, *out.back())}});
      out.back()->read_and_clear(rank(0).stream);
    }
    until_over(waiting);
    for (const auto* list : {&in, &kept})
      for (const auto& each : *list) each->read_and_clear(rank(1).stream);
    rank(1).device->synchronise(rank(1).stream);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(in[std::size_t(i)]->read(), numbers(message_size, i)) << "seed " << seed;
      EXPECT_EQ(kept[std::size_t(i)]->read(), numbers(message_size, 100 + i)) << "seed " << seed;
    }
  }
}

// Both ways at once, each rank with more on its way than chunks: nobody stands still.
TEST_F(DelegatedMessages, FullRingsOfBothSidesDoNotBlockEachOther) {
  make(2, 1);
  std::vector<std::unique_ptr<DeviceMemory>> memory;
  std::vector<std::pair<int, Ticket>> waiting;
  const auto next = [&](int which) -> DeviceMemory& {
    memory.push_back(std::make_unique<DeviceMemory>(*rank(which).device, message_size));
    return *memory.back();
  };
  for (const int which : {0, 1})
    for (int i = 0; i < 5; ++i) waiting.emplace_back(which, send(which, 1 - which, next(which)));
  for (const int which : {0, 1})
    for (int i = 0; i < 5; ++i) waiting.emplace_back(which, receive(which, 1 - which, next(which)));
  until_over(waiting);
}

TEST_F(DelegatedMessages, TagsAreApart) {
  make(2, 1);
  DeviceMemory out[]{{*rank(0).device, 8}, {*rank(0).device, 8}};
  DeviceMemory in[]{{*rank(1).device, 8}, {*rank(1).device, 8}};
  const std::pair<int, Ticket> second{1, receive(1, 0, in[1], 2)},
      first{1, receive(1, 0, in[0], 1)};
  for (int i = 0; i < 2; ++i) {
    out[i].fill(numbers(8, i), rank(0).stream);
    until_over({{0, send(0, 1, out[i], static_cast<std::uint64_t>(i) + 1)}});
  }
  until_over({first, second});
  for (DeviceMemory& each : in) each.read_and_clear(rank(1).stream);
  rank(1).device->synchronise(rank(1).stream);
  EXPECT_EQ(in[0].read(), numbers(8, 0));
  EXPECT_EQ(in[1].read(), numbers(8, 1));
}

TEST_F(DelegatedMessages, AnEmptyMessageArrivesToo) {
  make(2, 1);
  const Ticket sent = rank(0).backend->send({.to = Rank{1}, .stream = rank(0).stream});
  const Ticket received = rank(1).backend->receive({.from = Rank{0}, .stream = rank(1).stream});
  until_over({{0, sent}, {1, received}});
}

// --- collectives

CollectiveCall work_of(CollectiveKind kind, std::uint64_t use, std::span<std::byte> buffer) {
  return {.kind = kind, .communicator = CommunicatorId{0}, .use = use, .buffer = buffer};
}

std::vector<float> floats(int rank, std::uint64_t use) {
  std::vector<float> made(3 * 40);
  for (std::size_t i = 0; i < made.size(); ++i)
    made[i] = static_cast<float>(rank + 1) * 0.1F + static_cast<float>(use * 1000 + i);
  return made;
}

// What belongs to the rank afterwards: reduce_scatter leaves the rest undefined.
Bytes8 own(CollectiveKind kind, int rank, const Bytes8& buffer) {
  if (kind != CollectiveKind::reduce_scatter) return buffer;
  const auto part = static_cast<std::ptrdiff_t>(buffer.size()) / 3;
  return {buffer.begin() + rank * part, buffer.begin() + (rank + 1) * part};
}

std::vector<Bytes8> on_host(CollectiveKind kind, std::uint64_t use) {
  LocalWorld world(test::one_group(3));
  std::vector<Bytes8> all;
  for (int rank = 0; rank < 3; ++rank) all.push_back(bytes_of(floats(rank, use)));
  for (int rank = 0; rank < 3; ++rank)
    world.rank(Rank{rank}).start(work_of(kind, use, all[std::size_t(rank)]));
  for (int rank = 0; rank < 3; ++rank)
    all[std::size_t(rank)] = own(kind, rank, all[std::size_t(rank)]);
  return all;
}

class DelegatedCollectives : public DelegatedMessages {
 protected:
  // Three uses, all begun before the first is over; the last takes blocks of those before.
  void expect_as_on_host(CollectiveKind kind, std::uint64_t seed) {
    make(3, seed);
    std::vector<std::unique_ptr<DeviceMemory>> memory;
    std::vector<std::vector<std::pair<int, Ticket>>> waiting(3);
    const auto begin = [&](std::uint64_t use) {
      for (int which = 0; which < 3; ++which) {
        const Bytes8 values = bytes_of(floats(which, use));
        memory.push_back(std::make_unique<DeviceMemory>(*rank(which).device, values.size()));
        memory.back()->fill(values, rank(which).stream);
        CollectiveCall work = work_of(kind, use, memory.back()->span());
        work.stream = rank(which).stream;
        waiting[use].emplace_back(which, rank(which).backend->start(work));
      }
    };
    const auto end = [&](std::uint64_t use) {
      until_over(waiting[use]);
      for (int which = 0; which < 3; ++which)
        memory[use * 3 + std::size_t(which)]->read_and_clear(rank(which).stream);
    };
    begin(0);
    begin(1);
    end(0);
    begin(2);
    end(1);
    end(2);
    for (std::uint64_t use = 0; use < 3; ++use) {
      const std::vector<Bytes8> expected = on_host(kind, use);
      for (int which = 0; which < 3; ++which) {
        rank(which).device->synchronise(rank(which).stream);
        const auto at = static_cast<std::size_t>(which);
        EXPECT_EQ(own(kind, which, memory[use * 3 + at]->read()), expected[at])
            << "seed " << seed << ", use " << use << ", rank " << which;
      }
    }
  }
};

TEST_F(DelegatedCollectives, HaveTheBitsOfTheHosts) {
  for (const CollectiveKind kind :
       {CollectiveKind::all_reduce, CollectiveKind::reduce_scatter, CollectiveKind::all_gather})
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) expect_as_on_host(kind, seed);
}

TEST_F(DelegatedCollectives, PinnedMemoryIsThatOfTheFirstStep) {
  make(2, 1);
  DeviceMemory memory[]{{*rank(0).device, 480}, {*rank(1).device, 480}};
  DeviceMemory message[]{{*rank(0).device, message_size}, {*rank(1).device, message_size}};
  std::size_t after_first = 0;
  for (std::uint64_t step = 0; step < 5; ++step) {
    std::vector<std::pair<int, Ticket>> waiting;
    for (const int which : {0, 1}) {
      CollectiveCall work = work_of(CollectiveKind::all_reduce, step, memory[which].span());
      work.stream = rank(which).stream;
      waiting.emplace_back(which, rank(which).backend->start(work));
    }
    waiting.emplace_back(0, send(0, 1, message[0]));
    waiting.emplace_back(1, receive(1, 0, message[1]));
    until_over(waiting);
    // As between steps: the device is waited for, and its pinned memory comes back when asked.
    for (const int which : {0, 1}) {
      rank(which).device->synchronise(rank(which).stream);
      EXPECT_TRUE(rank(which).backend->finished({}, Patience::none));
    }
    if (step == 0) after_first = rank(0).backend->pinned_bytes();
    EXPECT_EQ(rank(0).backend->pinned_bytes(), after_first) << step;
  }
  EXPECT_EQ(after_first, 480 + small_chunks.chunk * 2);
}

// --- when things happen

// Notes what it is asked; messages are over when the test says so.
class Noting final : public CommunicationBackend {
 public:
  Ticket start(const CollectiveCall&) override { return {++last_}; }
  Ticket send(const SendWork&) override {
    ++sends;
    return {++last_};
  }
  Ticket receive(const ReceiveWork& work) override {
    receives.push_back(work.message);
    return {++last_};
  }
  Result<std::vector<Completion>> finished(std::span<const Ticket> tickets, Patience) override {
    std::vector<Completion> over;
    for (std::size_t i = 0; i < tickets.size() && deliver; ++i)
      over.push_back({i, Clock::now(), Clock::now()});
    return over;
  }
  void abort(const Error&) override { aborted = true; }

  int sends = 0;
  std::vector<std::span<std::byte>> receives;
  bool deliver = false, aborted = false;

 private:
  std::uint64_t last_ = 0;
};

class OneDelegate : public testing::Test {
 protected:
  bool ask(Ticket ticket) {
    const auto over = rank_.backend->finished(std::span(&ticket, 1), Patience::none);
    return over && !over->empty();
  }

  Noting network_;
  TestRank rank_{test::one_group(2), 0, 1, network_, small_chunks};
};

TEST_F(OneDelegate, AsksTheNetworkForAMessageBeforeTheDeviceIsReadyForIt) {
  DeviceMemory memory(*rank_.device, message_size);
  memory.fill(numbers(message_size, 1), rank_.stream);  // not done: nobody has waited
  rank_.backend->receive({.from = Rank{1}, .message = memory.span(), .stream = rank_.stream});
  ASSERT_EQ(network_.receives.size(), 2U);  // as many chunks as there are
  EXPECT_EQ(network_.receives[0].size(), 64U);
  rank_.backend->abort({"test", "over"});
}

TEST_F(OneDelegate, SendsOneChunkWhileTheNextIsCopied) {
  DeviceMemory memory(*rank_.device, 128);
  const Ticket ticket =
      rank_.backend->send({.to = Rank{1}, .message = memory.span(), .stream = rank_.stream});
  EXPECT_EQ(network_.sends, 0);
  std::vector<int> seen;
  for (int round = 0; round < 50; ++round) {
    ask({});
    if (seen.empty() || seen.back() != network_.sends) seen.push_back(network_.sends);
  }
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2}));
  EXPECT_TRUE(ask(ticket));
  network_.deliver = true;
}

// Two chunks are under way: the first message fits, the second waits for the network.
TEST_F(OneDelegate, HoldsBackWhatHasNoRoom) {
  DeviceMemory first(*rank_.device, 128), second(*rank_.device, 64);
  const auto send = [&](DeviceMemory& memory) {
    return rank_.backend->send({.to = Rank{1}, .message = memory.span(), .stream = rank_.stream});
  };
  const Ticket one = send(first), two = send(second);
  bool first_is_over = false;
  for (int round = 0; round < 100 && !first_is_over; ++round) first_is_over = ask(one);
  EXPECT_TRUE(first_is_over);
  for (int round = 0; round < 100; ++round) ASSERT_FALSE(ask(two));
  EXPECT_EQ(network_.sends, 2);
  network_.deliver = true;
  bool over = false;
  for (int round = 0; round < 100 && !over; ++round) over = ask(two);
  EXPECT_TRUE(over);
}

// --- ends

TEST_F(DelegatedMessages, AFailureOfAPeerIsToldInItsWords) {
  make(2, 1);
  DeviceMemory memory(*rank(0).device, message_size);
  const Ticket ticket = receive(0, 1, memory);
  rank(1).backend->abort({"rank 1", "ran out of disk"});
  for (int again = 0; again < 2; ++again) {
    const auto over = rank(0).backend->finished(std::span(&ticket, 1), Patience::until_one_is_over);
    ASSERT_FALSE(over);
    EXPECT_EQ(over.error(), (Error{"rank 1", "ran out of disk"}));
  }
  EXPECT_FALSE(rank(1).backend->finished({}, Patience::none));
}

// The device stands before something that never ends: the host does not wait for it for ever.
TEST_F(DelegatedMessages, ACopyThatTheDeviceNeverComesToEndsTheJob) {
  DelegateOptions impatient = small_chunks;
  impatient.within = std::chrono::milliseconds(50);
  make(2, 1, impatient);
  DeviceMemory out(*rank(0).device, 128), in(*rank(1).device, 128);
  // A first message takes the route's pinned memory: to take it later would wait for the device.
  const Ticket first = send(0, 1, out);
  until_over({{0, first}, {1, receive(1, 0, in)}});
  bool over = false;
  queue_meeting(
      *rank(0).device, rank(0).stream, [] {}, [&] { return over; });
  const Ticket ticket = send(0, 1, out);
  const auto ended = rank(0).backend->finished(std::span(&ticket, 1), Patience::until_one_is_over);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().text(),
            "rank 0: device: has not come within 50 ms to the copy of a message to rank 1");
  EXPECT_FALSE(rank(1).backend->finished({}, Patience::none));
  over = true;
}

TEST_F(DelegatedMessages, WhoLeavesDeliversItsMessagesFirst) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    make(2, seed);
    DeviceMemory out(*rank(0).device, 128), in(*rank(1).device, 128);
    out.fill(numbers(128, 3), rank(0).stream);
    send(0, 1, out);
    rank(0).backend.reset();
    until_over({{1, receive(1, 0, in)}});
    in.read_and_clear(rank(1).stream);
    rank(1).device->synchronise(rank(1).stream);
    EXPECT_EQ(in.read(), numbers(128, 3));
  }
}

TEST_F(DelegatedMessages, WhoLeavesWithOpenReceivesEndsTheJob) {
  make(2, 1);
  DeviceMemory in(*rank(0).device, 128);
  receive(0, 1, in);
  rank(0).backend.reset();
  const auto over = rank(1).backend->finished({}, Patience::none);
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error(), (Error{"rank 0", "left what it had begun to receive"}));
}

}  // namespace
}  // namespace quintet::engine
