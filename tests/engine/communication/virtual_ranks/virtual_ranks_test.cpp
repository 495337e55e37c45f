// Collectives and messages on one device, against the same among threads on the host. The device
// runs what is queued as late and in as odd an order as it may: over the seeds, an event that is
// missing shows as wrong numbers.
#include "engine/communication/virtual_ranks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <thread>

#include "engine/communication/local_world.h"
#include "engine/files/storage/half_floats.h"
#include "tests/stand_ins/device_memory.h"
#include "tests/stand_ins/fake_device.h"

namespace quintet::engine {
namespace {

constexpr std::uint64_t seeds = 20;

Program world_of(int ranks) {
  Program program;
  program.grid.axes = {{Axis::data, ranks}};
  program.communicators = {{"first", {{Axis::data}}, {}}, {"second", {{Axis::data}}, {}}};
  return program;
}

struct Asked {
  CollectiveKind kind = CollectiveKind::all_reduce;
  Reduction reduction = Reduction::sum;
  DataType type = DataType::fp32;
  int ranks = 3;
};

constexpr std::size_t elements = 3 * 17;

// Sizes from 2^-20 to 2^20, so that every order of additions has bits of its own.
Bytes8 numbers(DataType type, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> power(-20, 20), small(-100, 100);
  std::vector<float> made(elements);
  for (float& value : made) value = std::ldexp(static_cast<float>(small(random)), power(random));
  if (type == DataType::fp32) return bytes_of(made);
  Bytes8 halves(elements * 2);
  for (std::size_t i = 0; i < elements; ++i) {
    const std::uint16_t half = bf16_of(made[i]);
    std::memcpy(halves.data() + 2 * i, &half, 2);
  }
  return halves;
}

std::vector<Bytes8> brought(const Asked& asked) {
  std::vector<Bytes8> all;
  for (int rank = 0; rank < asked.ranks; ++rank)
    all.push_back(numbers(asked.type, static_cast<unsigned>(rank) + 1));
  return all;
}

CollectiveCall work_of(const Asked& asked, std::span<std::byte> buffer) {
  return {.kind = asked.kind,
          .communicator = CommunicatorId{0},
          .buffer = buffer,
          .type = asked.type,
          .reduction = asked.reduction};
}

// What belongs to a rank after the collective: reduce_scatter leaves the rest undefined.
Bytes8 own(const Asked& asked, int rank, const Bytes8& buffer) {
  if (asked.kind != CollectiveKind::reduce_scatter) return buffer;
  const auto part = static_cast<std::ptrdiff_t>(buffer.size()) / asked.ranks;
  return {buffer.begin() + rank * part, buffer.begin() + (rank + 1) * part};
}

void expect_over(CommunicationBackend& backend, Ticket ticket) {
  const auto over = backend.finished(std::span(&ticket, 1), Patience::none);
  ASSERT_TRUE(over) << over.error().text();
  ASSERT_EQ(over->size(), 1U);
  EXPECT_LE(over->front().moving, over->front().end);
  EXPECT_LE(over->front().end, Clock::now());
}

std::vector<Bytes8> on_host(const Asked& asked) {
  LocalWorld world(world_of(asked.ranks));
  std::vector<Bytes8> all = brought(asked);
  std::vector<Ticket> tickets;
  for (int rank = 0; rank < asked.ranks; ++rank)
    tickets.push_back(world.rank(Rank{rank}).start(work_of(asked, all[std::size_t(rank)])));
  for (int rank = 0; rank < asked.ranks; ++rank) {
    expect_over(world.rank(Rank{rank}), tickets[std::size_t(rank)]);
    all[std::size_t(rank)] = own(asked, rank, all[std::size_t(rank)]);
  }
  return all;
}

// Nothing is waited for but tickets, until the very end.
std::vector<Bytes8> on_device(const Asked& asked, std::uint64_t seed) {
  const auto device = fake_device({seed});
  const auto world = VirtualRanks::make(world_of(asked.ranks), *device);
  const std::vector<Bytes8> values = brought(asked);
  std::vector<std::unique_ptr<DeviceMemory>> memory;
  std::vector<kernels::Stream> streams;
  std::vector<Ticket> tickets;
  for (int rank = 0; rank < asked.ranks; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    streams.push_back(device->make_stream());
    memory.push_back(std::make_unique<DeviceMemory>(*device, values[at].size()));
    memory[at]->fill(values[at], streams[at]);
    CollectiveCall work = work_of(asked, memory[at]->span());
    work.stream = streams[at];
    tickets.push_back((*world)->rank(Rank{rank}).start(work));
  }
  std::vector<Bytes8> found;
  for (int rank = 0; rank < asked.ranks; ++rank) {
    expect_over((*world)->rank(Rank{rank}), tickets[std::size_t(rank)]);
    memory[std::size_t(rank)]->read_and_clear(streams[std::size_t(rank)]);
  }
  for (int rank = 0; rank < asked.ranks; ++rank) {
    device->synchronise(streams[std::size_t(rank)]);
    found.push_back(own(asked, rank, memory[std::size_t(rank)]->read()));
  }
  return found;
}

void expect_as_on_host(const Asked& asked) {
  const std::vector<Bytes8> expected = on_host(asked);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    ASSERT_EQ(on_device(asked, seed), expected) << "seed " << seed;
}

TEST(VirtualRanks, SumsHaveLocalWorldsBits) {
  expect_as_on_host({CollectiveKind::all_reduce, Reduction::sum, DataType::fp32});
  expect_as_on_host({CollectiveKind::all_reduce, Reduction::sum, DataType::bf16});
}

TEST(VirtualRanks, MaximaAreLocalWorlds) {
  expect_as_on_host({CollectiveKind::all_reduce, Reduction::maximum, DataType::fp32});
  expect_as_on_host({CollectiveKind::all_reduce, Reduction::maximum, DataType::bf16});
}

TEST(VirtualRanks, ScatteredSumsHaveLocalWorldsBits) {
  expect_as_on_host({CollectiveKind::reduce_scatter, Reduction::sum, DataType::fp32});
  expect_as_on_host({CollectiveKind::reduce_scatter, Reduction::sum, DataType::bf16});
}

TEST(VirtualRanks, GatheredPartsAreLocalWorlds) {
  expect_as_on_host({CollectiveKind::all_gather, Reduction::sum, DataType::fp32});
  expect_as_on_host({CollectiveKind::all_gather, Reduction::sum, DataType::bf16});
}

TEST(VirtualRanks, ARankAloneKeepsWhatItBrought) {
  expect_as_on_host({CollectiveKind::all_reduce, Reduction::sum, DataType::fp32, 1});
  expect_as_on_host({CollectiveKind::all_gather, Reduction::sum, DataType::fp32, 1});
}

// Two ranks, one device, one stream each.
class TwoRanks : public testing::Test {
 protected:
  void make(std::uint64_t seed) {
    world_.reset();
    device_ = fake_device({seed});
    world_ = *VirtualRanks::make(world_of(2), *device_);
    for (kernels::Stream& stream : streams_) stream = device_->make_stream();
  }
  CommunicationBackend& rank(int which) { return world_->rank(Rank{which}); }

  std::unique_ptr<kernels::Device> device_;
  std::unique_ptr<VirtualRanks> world_;
  kernels::Stream streams_[2];
};

TEST_F(TwoRanks, CollectivesOfOneCommunicatorMeetByTheirUse) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    make(seed);
    std::vector<std::unique_ptr<DeviceMemory>> memory;
    std::vector<Ticket> tickets;
    for (const int which : {0, 1})
      for (const int turn : {0, 1}) {
        const int use = which == 0 ? turn : 1 - turn;  // rank 1 begins with the second
        memory.push_back(std::make_unique<DeviceMemory>(*device_, 4));
        memory.back()->fill(bytes_of({which == 0 ? 1.0F : 10.0F * static_cast<float>(use + 1)}),
                            streams_[which]);
        CollectiveCall work = work_of({}, memory.back()->span());
        work.use = static_cast<std::uint64_t>(use);
        work.stream = streams_[which];
        tickets.push_back(rank(which).start(work));
      }
    for (std::size_t i = 0; i < 4; ++i) {
      expect_over(rank(i < 2 ? 0 : 1), tickets[i]);
      memory[i]->read_and_clear(streams_[i < 2 ? 0 : 1]);
    }
    for (const kernels::Stream& stream : streams_) device_->synchronise(stream);
    const std::vector<Bytes8> sums{bytes_of({11}), bytes_of({21}), bytes_of({21}), bytes_of({11})};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(memory[i]->read(), sums[i]) << i;
  }
}

// The sender clears its memory as soon as its ticket is over; what the receiver read of its own
// before it asked for the message is not the message.
TEST_F(TwoRanks, MessagesArriveInTheOrderOfTheirTag) {
  const Bytes8 one = bytes_of(std::vector<float>(100, 1)),
               two = bytes_of(std::vector<float>(100, 2));
  const Bytes8 old = bytes_of(std::vector<float>(100, 5));
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    make(seed);
    DeviceMemory out[]{{*device_, 400}, {*device_, 400}}, in[]{{*device_, 400}, {*device_, 400}};
    DeviceMemory kept(*device_, 400);
    in[0].fill(old, streams_[1]);
    device_->copy(kept.span().data(), in[0].span().data(), 400, streams_[1]);
    const auto receive = [&](DeviceMemory& into) {
      return rank(1).receive(
          {.from = Rank{0}, .tag = 5, .message = into.span(), .stream = streams_[1]});
    };
    const auto send = [&](DeviceMemory& from, const Bytes8& values) {
      from.fill(values, streams_[0]);
      return rank(0).send({.to = Rank{1}, .tag = 5, .message = from.span(), .stream = streams_[0]});
    };
    const Ticket early = receive(in[0]);
    const Ticket first = send(out[0], one), second = send(out[1], two);
    expect_over(rank(0), first);
    out[0].read_and_clear(streams_[0]);
    const Ticket late = receive(in[1]);
    expect_over(rank(0), second);
    out[1].read_and_clear(streams_[0]);
    expect_over(rank(1), early);
    expect_over(rank(1), late);
    for (DeviceMemory* const each : {&in[0], &in[1], &kept}) each->read_and_clear(streams_[1]);
    device_->synchronise(streams_[1]);
    EXPECT_EQ(in[0].read(), one);
    EXPECT_EQ(in[1].read(), two);
    EXPECT_EQ(kept.read(), old);
  }
}

TEST_F(TwoRanks, ASendIsOverWhenItsReceiverHasCome) {
  make(1);
  DeviceMemory out(*device_, 4), in(*device_, 4);
  const Ticket sent = rank(0).send({.to = Rank{1}, .message = out.span(), .stream = streams_[0]});
  const auto nothing = rank(0).finished(std::span(&sent, 1), Patience::none);
  ASSERT_TRUE(nothing);
  EXPECT_TRUE(nothing->empty());
  const Ticket received =
      rank(1).receive({.from = Rank{0}, .message = in.span(), .stream = streams_[1]});
  expect_over(rank(0), sent);
  expect_over(rank(1), received);
}

// As a step's ranks do: threads of their own, many uses, both kinds of waiting.
TEST_F(TwoRanks, ThreadsMayGoAtTheirOwnPace) {
  make(3);
  constexpr int uses = 50;
  Bytes8 found[2];
  std::vector<std::thread> threads;
  for (const int which : {0, 1})
    threads.emplace_back([&, which] {
      DeviceMemory memory(*device_, 8 * sizeof(float));
      memory.fill(bytes_of(std::vector<float>(8, static_cast<float>(which + 1))), streams_[which]);
      for (std::uint64_t use = 0; use < uses; ++use) {
        CollectiveCall work = work_of({.reduction = Reduction::sum}, memory.span());
        work.use = use;
        work.stream = streams_[which];
        const Ticket ticket = rank(which).start(work);
        EXPECT_TRUE(rank(which).finished(std::span(&ticket, 1), Patience::until_one_is_over));
      }
      memory.read_and_clear(streams_[which]);
      device_->synchronise(streams_[which]);
      found[which] = memory.read();
    });
  for (std::thread& thread : threads) thread.join();
  // 1 + 2 = 3, which doubles 49 times: exact in fp32.
  const Bytes8 expected = bytes_of(std::vector<float>(8, std::ldexp(3.0F, uses - 1)));
  EXPECT_EQ(found[0], expected);
  EXPECT_EQ(found[1], expected);
}

TEST_F(TwoRanks, AnAbortWakesWhoeverWaits) {
  make(1);
  DeviceMemory memory(*device_, 4);
  std::thread waiting([&] {
    const Ticket ticket =
        rank(0).receive({.from = Rank{1}, .message = memory.span(), .stream = streams_[0]});
    const auto over = rank(0).finished(std::span(&ticket, 1), Patience::until_one_is_over);
    ASSERT_FALSE(over);
    EXPECT_EQ(over.error(), (Error{"rank 1", "ran out of disk"}));
  });
  rank(1).abort({"rank 1", "ran out of disk"});
  waiting.join();
}

TEST_F(TwoRanks, WhoDisagreesIsToldSo) {
  make(1);
  DeviceMemory short_one(*device_, 4), long_one(*device_, 8);
  const Ticket ticket = rank(0).start(work_of({}, short_one.span()));
  rank(1).start(work_of({}, long_one.span()));
  const auto over = rank(0).finished(std::span(&ticket, 1), Patience::none);
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().where, "rank 0 to rank 1");
}

TEST_F(TwoRanks, AMessageOfAnotherSizeEndsTheJob) {
  make(1);
  DeviceMemory short_one(*device_, 4), long_one(*device_, 8);
  rank(0).send({.to = Rank{1}, .message = short_one.span()});
  const Ticket ticket = rank(1).receive({.from = Rank{0}, .message = long_one.span()});
  const auto over = rank(1).finished(std::span(&ticket, 1), Patience::none);
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error(), (Error{"rank 0", "sent 4 bytes to rank 1, which expected 8"}));
}

TEST(VirtualRanks, MoreThanOneKernelAddsUpAreRefused) {
  const auto device = fake_device();
  const auto made = VirtualRanks::make(world_of(129), *device);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error(), (Error{"communicator \"first\"",
                                 "has 129 members; on one GPU at most 128 are added up"}));
  EXPECT_TRUE(VirtualRanks::make(world_of(128), *device));
}

}  // namespace
}  // namespace quintet::engine
