#include "engine/recording/attribution.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace quintet::engine {
namespace {

using kernels::Activity;
using kernels::ActivityKind;
using kernels::DeviceRecords;
using std::chrono::nanoseconds;

constexpr std::uint64_t step = 4;

Activity kernel(std::uint32_t call, std::int64_t start, std::int64_t end, std::string name = "k") {
  return {.start = start, .end = end, .call = call, .name = std::move(name)};
}

Activity of_node(std::uint64_t node, int captured_for, std::uint32_t launch, std::int64_t start,
                 std::int64_t end) {
  Activity made = kernel(launch, start, end);
  made.graph_node = node;
  made.captured_for = number_of({1, captured_for});  // captured in an earlier step
  return made;
}

TEST(Requester, IsReadBackFromItsNumber) {
  for (const Requester& requester : {Requester{0, {}}, Requester{0, 0}, Requester{7, 123456}})
    EXPECT_EQ(requester_of(number_of(requester)), requester);
  EXPECT_EQ(requester_of(0), std::nullopt);
  EXPECT_EQ(requester_of(41), std::nullopt);  // another tool's
}

// Task 2: kernels from 100 to 200 and 150 to 260, a fill from 300 to 310: busy 160 + 10.
// Task 0: one copy.
TEST(Attribution, GivesEachTaskItsPiecesInWhateverOrderTheyCome) {
  DeviceRecords records;
  records.purposes = {{11, number_of({step, 2})},
                      {12, number_of({step, 2})},
                      {13, number_of({step, 2})},
                      {14, number_of({step, 0})}};
  Activity fill = kernel(13, 300, 310, "");
  fill.kind = ActivityKind::fill;
  Activity copy = kernel(14, 50, 90, "");
  copy.kind = ActivityKind::copy;
  records.activities = {fill, kernel(12, 150, 260, "long"), copy, kernel(11, 100, 200, "short")};
  const Attribution expected{{{0, nanoseconds(50), nanoseconds(90), nanoseconds(40), 1, ""},
                              {2, nanoseconds(100), nanoseconds(310), nanoseconds(170), 3, "long"}},
                             {.pieces = 4, .of_tasks = 4}};
  std::sort(records.activities.begin(), records.activities.end(),
            [](const Activity& left, const Activity& right) { return left.call < right.call; });
  do {
    EXPECT_EQ(attribute(records, step), expected);
  } while (std::next_permutation(
      records.activities.begin(), records.activities.end(),
      [](const Activity& left, const Activity& right) { return left.call < right.call; }));
}

// One launch, call 20: its nodes were captured for tasks 3 and 5.
TEST(Attribution, GivesTheNodesOfAGraphToWhatTheyWereCapturedFor) {
  DeviceRecords records;
  records.purposes = {{20, number_of({step, {}})}};
  records.activities = {of_node(101, 5, 20, 200, 230), of_node(100, 3, 20, 100, 150),
                        of_node(102, 3, 20, 150, 190)};
  const Attribution found = attribute(records, step);
  ASSERT_EQ(found.work.size(), 2u);
  EXPECT_EQ(found.work[0],
            (DeviceWork{3, nanoseconds(100), nanoseconds(190), nanoseconds(90), 2, "k"}));
  EXPECT_EQ(found.work[1],
            (DeviceWork{5, nanoseconds(200), nanoseconds(230), nanoseconds(30), 1, "k"}));
}

// The same nodes run in every step: the launch tells which.
TEST(Attribution, KeepsTheLaunchesOfAGraphApart) {
  DeviceRecords records;
  records.purposes = {{20, number_of({step - 1, {}})}, {21, number_of({step, {}})}};
  records.activities = {of_node(100, 3, 20, 100, 150), of_node(100, 3, 21, 500, 560)};
  const Attribution found = attribute(records, step);
  EXPECT_EQ(
      found.work,
      (std::vector<DeviceWork>{{3, nanoseconds(500), nanoseconds(560), nanoseconds(60), 1, "k"}}));
  EXPECT_EQ(found.counts.of_others, 1);
}

TEST(Attribution, CountsWhatMakesNoSpan) {
  DeviceRecords records;
  records.purposes = {{1, number_of({step, {}})},
                      {2, number_of({step - 1, 7})},
                      {3, number_of({step, 7})},
                      {5, 41}};
  records.activities = {kernel(1, 10, 20), kernel(2, 10, 20), kernel(3, 0, 0), kernel(4, 10, 20),
                        kernel(5, 10, 20)};
  Activity unknown_node = kernel(1, 10, 20);
  unknown_node.graph_node = 99;
  records.activities.push_back(unknown_node);
  records.dropped = 6;
  records.broken = 1;
  records.costs = {{"flush of records", 100, 130}, {"CUPTI's resources", 200, 204}};
  const Attribution expected{{},
                             {.pieces = 6,
                              .of_no_task = 1,
                              .of_others = 1,
                              .of_nothing = 3,
                              .without_time = 1,
                              .dropped = 6,
                              .broken = 1,
                              .cost = nanoseconds(34)}};
  EXPECT_EQ(attribute(records, step), expected);
}

TEST(Attribution, AddsUpOverSteps) {
  RecordCounts sum{.pieces = 1, .of_tasks = 1, .dropped = 2, .cost = nanoseconds(3)};
  sum += {.pieces = 10, .of_tasks = 8, .of_nothing = 2, .broken = 1, .cost = nanoseconds(4)};
  EXPECT_EQ(sum, (RecordCounts{.pieces = 11,
                               .of_tasks = 9,
                               .of_nothing = 2,
                               .dropped = 2,
                               .broken = 1,
                               .cost = nanoseconds(7)}));
}

TEST(Attribution, SaysWhatASpanConsistsOf) {
  DeviceWork work{0, nanoseconds(0), nanoseconds(5000), nanoseconds(4120), 3, "_Z4gemmPf"};
  EXPECT_EQ(note_of(work), "3 pieces, busy 4.1 us, longest gemm");
  work = {0, nanoseconds(0), nanoseconds(5000), nanoseconds(5000), 1, ""};
  EXPECT_EQ(note_of(work), "1 piece, busy 5.0 us");
}

TEST(KernelName, IsShort) {
  EXPECT_EQ(short_kernel_name("_ZN7quintet5tilesILi3EEEvPf"), "tiles");
  EXPECT_EQ(short_kernel_name("_ZN7quintet12_GLOBAL__N_14normEPf"), "norm");
  EXPECT_EQ(short_kernel_name("sm90_xmma_gemm_bf16bf16_bf16f32"),
            "sm90_xmma_gemm_bf16bf16_bf16f32");
  EXPECT_EQ(short_kernel_name("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs<4096ul>)"),
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
}

}  // namespace
}  // namespace quintet::engine
