// Every collective by every algorithm, on ranks of one process over the loopback interface, against
// sums of small integers, which all types hold exactly.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>

#include "engine/files/storage/half_floats.h"
#include "engine/network/collectives/rank_group.h"
#include "tests/support/local_job.h"

namespace quintet::engine {
namespace {

using enum CollectiveKind;

// 64 KiB here, so that a few hundred thousand elements are several segments.
constexpr std::size_t test_segment = 1 << 16;

std::vector<std::byte> encoded(const std::vector<float>& values, DataType type) {
  const auto size = static_cast<std::size_t>(size_of(type).value);
  std::vector<std::byte> bytes(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint16_t half = type == DataType::bf16 ? bf16_of(values[i]) : fp16_of(values[i]);
    const void* from = type == DataType::fp32 ? static_cast<const void*>(&values[i]) : &half;
    std::memcpy(bytes.data() + i * size, from, size);
  }
  return bytes;
}

std::vector<float> decoded(std::span<const std::byte> bytes, DataType type) {
  const auto size = static_cast<std::size_t>(size_of(type).value);
  std::vector<float> values(bytes.size() / size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint16_t half = 0;
    if (type == DataType::fp32)
      std::memcpy(&values[i], bytes.data() + i * size, size);
    else
      std::memcpy(&half, bytes.data() + i * size, size);
    if (type == DataType::bf16) values[i] = float_of_bf16(half);
    if (type == DataType::fp16) values[i] = float_of_fp16(half);
  }
  return values;
}

// 0 .. 12, so that sums over 8 ranks stay below 256, the end of bf16's integers.
float term(int rank, std::size_t element) {
  return static_cast<float>((static_cast<std::size_t>(rank) * 5 + element * 7 + element / 13) % 13);
}

std::vector<float> terms(int rank, std::size_t elements) {
  std::vector<float> values(elements);
  for (std::size_t i = 0; i < elements; ++i) values[i] = term(rank, i);
  return values;
}

struct Case {
  CollectiveKind kind;
  Algorithm algorithm;
  std::size_t elements;
  DataType type = DataType::fp32;
  Reduction reduction = Reduction::sum;
  int root = 0;
};

std::string text(const Case& one, int ranks) {
  return std::string(name_of(one.kind)) + " by " + std::string(name_of(one.algorithm)) + " on " +
         std::to_string(ranks) + " ranks, " + std::to_string(one.elements) + " elements, type " +
         std::to_string(static_cast<int>(one.type)) + ", reduction " +
         std::to_string(static_cast<int>(one.reduction)) + ", root " + std::to_string(one.root);
}

float reduced(const Case& one, int ranks, std::size_t element) {
  float result = term(0, element);
  for (int rank = 1; rank < ranks; ++rank)
    result = one.reduction == Reduction::sum ? result + term(rank, element)
                                             : std::max(result, term(rank, element));
  return result;
}

// The element that must lie at `i` of `rank`; negative where it does not matter.
float promised(const Case& one, int ranks, int rank, std::size_t i) {
  const auto within = [&](int owner) {
    const ChunkRange part = part_of(one.elements, ranks, owner);
    return i >= part.begin && i < part.end;
  };
  switch (one.kind) {
    case all_reduce:
      return reduced(one, ranks, i);
    case reduce_scatter:
      return within(rank) ? reduced(one, ranks, i) : -1.0f;
    case reduce:
      return rank == one.root ? reduced(one, ranks, i) : -1.0f;
    case broadcast:
      return term(one.root, i);
    case all_gather:
    case all_to_all:
      break;
  }
  int owner = 0;
  while (!within(owner)) ++owner;
  const std::size_t start = part_of(one.elements, ranks, owner).begin;
  const std::size_t mine = part_of(one.elements, ranks, rank).begin;
  return one.kind == all_gather ? term(owner, i) : term(owner, mine + i - start);
}

void check(const Case& one, RankGroup& group) {
  std::vector<std::byte> buffer = encoded(terms(group.position(), one.elements), one.type);
  std::vector<std::byte> received(one.kind == all_to_all ? buffer.size() : 0);
  Result<Operation> operation = group.start({.kind = one.kind,
                                             .buffer = buffer,
                                             .type = one.type,
                                             .reduction = one.reduction,
                                             .root = one.root,
                                             .received = received,
                                             .algorithm = one.algorithm,
                                             .within = Milliseconds(20000)});
  ASSERT_TRUE(operation.has_value()) << operation.error().text();
  const std::optional<Failure> failure = operation->wait();
  ASSERT_FALSE(failure.has_value()) << failure->text() << "; " << text(one, group.size());
  const std::vector<float> values = decoded(one.kind == all_to_all ? received : buffer, one.type);
  for (std::size_t i = 0; i < one.elements; ++i) {
    const float expected = promised(one, group.size(), group.position(), i);
    if (expected < 0.0f) continue;
    ASSERT_EQ(values[i], expected)
        << text(one, group.size()) << ", rank " << group.position() << ", element " << i;
  }
}

std::vector<Case> all_cases(int ranks) {
  const std::vector<std::pair<Algorithm, std::vector<CollectiveKind>>> table{
      {Algorithm::ring, {all_reduce, reduce_scatter, all_gather, broadcast, reduce}},
      {Algorithm::tree, {all_reduce}},
      {Algorithm::pat, {reduce_scatter, all_gather}},
      {Algorithm::halving_doubling, {all_reduce, reduce_scatter, all_gather}},
      {Algorithm::hierarchical, {all_reduce}},
      {Algorithm::direct, {all_reduce, reduce_scatter, all_gather, all_to_all}},
  };
  const auto unit = static_cast<std::size_t>(ranks);
  std::vector<Case> cases;
  for (const auto& [algorithm, kinds] : table)
    for (const CollectiveKind kind : kinds)
      // Nothing; one element, so that most ranks have an empty share; odd; several segments.
      for (const std::size_t elements : {0ul, 1ul, 1003ul, 200000ul})
        cases.push_back({kind, algorithm, kind == all_to_all ? elements / 8 * unit : elements});
  return cases;
}

std::unique_ptr<RankGroup> whole_group(Transport& transport, std::uint32_t id = 0,
                                       std::vector<int> levels = {}) {
  GroupOptions options{id, "everyone", {}, std::move(levels), test_segment};
  for (int rank = 0; rank < transport.world(); ++rank) options.members.push_back(Rank{rank});
  Result<std::unique_ptr<RankGroup>> group = RankGroup::make(transport, options);
  EXPECT_TRUE(group.has_value());
  return *std::move(group);
}

class EveryCollective : public testing::TestWithParam<int> {};

TEST_P(EveryCollective, GivesExactSumsAndCopies) {
  const auto body = [](Transport& transport) {
    const auto group = whole_group(transport);
    for (const Case& one : all_cases(transport.world())) check(one, *group);
  };
  EXPECT_EQ(run_job({GetParam(), SharedMemory::refuse, {}}, body), "");
}

TEST_P(EveryCollective, AddsEveryTypeAndFindsMaxima) {
  const auto body = [](Transport& transport) {
    const auto group = whole_group(transport);
    for (const DataType type : {DataType::fp32, DataType::bf16, DataType::fp16})
      for (const Reduction reduction : {Reduction::sum, Reduction::maximum})
        for (const Algorithm algorithm : {Algorithm::ring, Algorithm::tree, Algorithm::direct})
          check({all_reduce, algorithm, 50001, type, reduction}, *group);
  };
  EXPECT_EQ(run_job({GetParam(), SharedMemory::refuse, {}}, body), "");
}

TEST_P(EveryCollective, HasItsRootAnywhere) {
  const auto body = [](Transport& transport) {
    const auto group = whole_group(transport);
    for (int root = 0; root < transport.world(); ++root)
      for (const CollectiveKind kind : {broadcast, reduce})
        check({kind, Algorithm::ring, 70001, DataType::fp32, Reduction::sum, root}, *group);
  };
  EXPECT_EQ(run_job({GetParam(), SharedMemory::refuse, {}}, body), "");
}

INSTANTIATE_TEST_SUITE_P(Ranks, EveryCollective, testing::Values(2, 3, 4, 5, 8),
                         testing::PrintToStringParamName());

// Levels inside out: rings inside hosts and across them; chains under the trees.
TEST(Collectives, FollowTheLevelsOfTheGroup) {
  const auto body = [](Transport& transport) {
    std::uint32_t id = 0;
    for (const std::vector<int>& levels : {std::vector{2, 4}, {4, 2}, {2, 2, 2}, {8, 1}}) {
      const auto group = whole_group(transport, id++, levels);
      for (const std::size_t elements : {5ul, 200000ul})
        for (const Algorithm algorithm : {Algorithm::hierarchical, Algorithm::tree})
          check({all_reduce, algorithm, elements}, *group);
      check({all_to_all, Algorithm::direct, 80000}, *group);
    }
  };
  EXPECT_EQ(run_job({8, SharedMemory::refuse, {}}, body), "");
}

// 3 MB of every rank: one of them, not two, fits the buffer of an aggregate.
TEST(Collectives, ByPatWalkTreesDepthFirstWhereLittleIsAggregated) {
  const auto body = [](Transport& transport) {
    const auto group = whole_group(transport);
    for (const CollectiveKind kind : {reduce_scatter, all_gather})
      check({kind, Algorithm::pat, 750000u * static_cast<std::size_t>(transport.world())}, *group);
  };
  for (const int ranks : {5, 8}) EXPECT_EQ(run_job({ranks, SharedMemory::refuse, {}}, body), "");
}

TEST(Collectives, GoThroughSharedMemoryToo) {
  const auto body = [](Transport& transport) {
    const auto group = whole_group(transport);
    for (const Case& one : all_cases(transport.world())) check(one, *group);
  };
  EXPECT_EQ(run_job({4, SharedMemory::use, {}}, body), "");
}

// 2 x 2 ranks: rows and columns overlap in one rank each, as tensor and data groups do. On all four
// groups two collectives are under way at once, and are waited for in the other order.
TEST(Collectives, OfSeveralGroupsRunAtOnce) {
  const auto body = [](Transport& transport) {
    const int row = transport.rank().value / 2, column = transport.rank().value % 2;
    const auto make = [&](std::uint32_t id, int first, int stride) {
      return RankGroup::make(transport,
                             {id, "pair", {Rank{first}, Rank{first + stride}}, {}, test_segment});
    };
    const auto along = make(1, row * 2, 1), across = make(2, column, 2);
    ASSERT_TRUE(along.has_value() && across.has_value());
    constexpr std::size_t elements = 150001;
    std::vector<std::vector<float>> buffers(4, terms(transport.rank().value, elements));
    std::vector<Operation> operations;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      RankGroup& group = i % 2 == 0 ? **along : **across;
      Result<Operation> started =
          group.start({.buffer = std::as_writable_bytes(std::span(buffers[i])),
                       .algorithm = i < 2 ? Algorithm::ring : Algorithm::halving_doubling});
      ASSERT_TRUE(started.has_value());
      operations.push_back(*std::move(started));
    }
    for (std::size_t i = buffers.size(); i-- > 0;) {
      ASSERT_EQ(operations[i].wait(), std::nullopt);
      const int other = i % 2 == 0 ? row * 2 + 1 - column : (1 - row) * 2 + column;
      for (std::size_t element = 0; element < elements; ++element)
        ASSERT_EQ(buffers[i][element],
                  term(transport.rank().value, element) + term(other, element));
    }
  };
  EXPECT_EQ(run_job({4, SharedMemory::refuse, {}}, body), "");
}

// Values whose sum depends on the order: what one rank gets that adds terms 0, 1, 2, ... in turn.
float awkward(int rank, std::size_t element) {
  return 1.0f / static_cast<float>(1 + (element * 37 + static_cast<std::size_t>(rank) * 101) % 997);
}

TEST(Collectives, DirectSumsHaveTheBitsOfAdditionInTheOrderOfRanks) {
  const auto body = [](Transport& transport) {
    const auto group = whole_group(transport);
    constexpr std::size_t elements = 100003;
    std::vector<float> buffer(elements);
    for (std::size_t i = 0; i < elements; ++i) buffer[i] = awkward(transport.rank().value, i);
    Result<Operation> operation = group->start(
        {.buffer = std::as_writable_bytes(std::span(buffer)), .algorithm = Algorithm::direct});
    ASSERT_EQ(operation->wait(), std::nullopt);
    for (std::size_t i = 0; i < elements; ++i) {
      float sum = awkward(0, i);
      for (int rank = 1; rank < transport.world(); ++rank) sum += awkward(rank, i);
      ASSERT_EQ(buffer[i], sum) << i;
    }
  };
  for (const int ranks : {3, 5, 8}) EXPECT_EQ(run_job({ranks, SharedMemory::refuse, {}}, body), "");
}

// ((0 + 2) + (1 + 3)): two ranks that first add terms r and r + 2 get the same bits.
TEST(Collectives, HalvingSumsAreOneBalancedTreeForAllElements) {
  const auto body = [](Transport& transport) {
    const auto group = whole_group(transport);
    constexpr std::size_t elements = 100003;
    std::vector<float> buffer(elements);
    for (std::size_t i = 0; i < elements; ++i) buffer[i] = awkward(transport.rank().value, i);
    Result<Operation> operation = group->start({.buffer = std::as_writable_bytes(std::span(buffer)),
                                                .algorithm = Algorithm::halving_doubling});
    ASSERT_EQ(operation->wait(), std::nullopt);
    for (std::size_t i = 0; i < elements; ++i)
      ASSERT_EQ(buffer[i], (awkward(0, i) + awkward(2, i)) + (awkward(1, i) + awkward(3, i)));
  };
  EXPECT_EQ(run_job({4, SharedMemory::refuse, {}}, body), "");
}

// Rank 1 does not come: everyone learns that it was waited for, and in what.
TEST(Collectives, ThatMissTheirDeadlineNameTheRank) {
  const auto body = [](Transport& transport) {
    const auto group = whole_group(transport);
    if (transport.rank() == Rank{1}) {
      while (!transport.failure()) std::this_thread::sleep_for(Milliseconds(5));
      return;
    }
    std::vector<float> buffer(1000);
    Result<Operation> operation = group->start(
        {.buffer = std::as_writable_bytes(std::span(buffer)), .within = Milliseconds(300)});
    EXPECT_EQ(operation->wait(),
              (Failure{Rank{1},
                       "it did not send step 0 of all-reduce 1 of group \"everyone\" "
                       "before the deadline"}));
  };
  EXPECT_EQ(run_job({3, SharedMemory::refuse, {}}, body), "");
}

TEST(Collectives, RefuseWhatTheyCannotDo) {
  const auto body = [](Transport& transport) {
    const auto group = whole_group(transport);
    std::vector<std::byte> buffer(10);
    const auto problem = [&](const CollectiveCall& call) {
      return group->start(call).error().text();
    };
    EXPECT_EQ(problem({.kind = broadcast, .algorithm = Algorithm::tree}),
              "collective: tree is not executed for broadcast; ring does all kinds but all-to-all, "
              "direct all-to-all");
    EXPECT_EQ(problem({.buffer = buffer}),
              "all-reduce of group \"everyone\": 10 bytes are not whole elements");
    EXPECT_EQ(problem({.buffer = buffer, .type = DataType::int8}),
              "all-reduce of group \"everyone\": only fp32, bf16 and fp16 can be added");
    EXPECT_EQ(problem({.kind = all_to_all, .buffer = buffer, .type = DataType::int8}),
              "all-to-all of group \"everyone\": needs another buffer of the same size to receive "
              "into");
    EXPECT_EQ(problem({.kind = broadcast, .root = 2}),
              "broadcast of group \"everyone\": root 2 of 2");
    EXPECT_EQ(RankGroup::make(transport, {0, "odd", {Rank{0}, Rank{1}}, {3}}).error().text(),
              "group \"odd\": the levels make 3 ranks of 2");
  };
  EXPECT_EQ(run_job({2, SharedMemory::refuse, {}}, body), "");
}

// Two data-parallel pairs over two tensor-parallel ones.
TEST(Collectives, GroupsComeFromThePrograms) {
  Program program;
  program.grid.axes = {{Axis::tensor, 2}, {Axis::data, 2}};
  program.communicators = {{"tensor", {{Axis::tensor}}, {}}, {"data", {{Axis::data}}, {}}};
  const auto body = [&](Transport& transport) {
    const auto groups = groups_of(program, transport);
    ASSERT_TRUE(groups.has_value());
    const int rank = transport.rank().value;
    const std::vector<Rank> tensor{Rank{rank / 2 * 2}, Rank{rank / 2 * 2 + 1}};
    const std::vector<Rank> data{Rank{rank % 2}, Rank{rank % 2 + 2}};
    EXPECT_EQ((*groups)[0]->members(), tensor);
    EXPECT_EQ((*groups)[1]->members(), data);
    for (const auto& group : *groups) check({all_reduce, Algorithm::ring, 1000}, *group);
  };
  EXPECT_EQ(run_job({4, SharedMemory::refuse, {}}, body), "");
}

}  // namespace
}  // namespace quintet::engine
