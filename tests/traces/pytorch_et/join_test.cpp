#include "traces/pytorch_et/join.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/traces/kineto/scratch_folder.h"
#include "traces/kineto/kineto_reader.h"
#include "traces/pytorch_et/match_nodes.h"

namespace quintet {
namespace {

namespace fs = std::filesystem;
using pytorch_et::aligned;

const fs::path samples = fs::path(QUINTET_SOURCE_DIR) / "../shared/samples";

#define SKIP_WITHOUT_SAMPLES() \
  if (!fs::exists(samples))    \
  GTEST_SKIP() << "THE SAMPLES ARE MISSING, NOTHING IS TESTED: " << samples

TEST(Join, AlignsWhatEitherSideLacks) {
  EXPECT_EQ(aligned({1, 2, 3, 4}, {1, 2, 3, 4}), (std::vector<std::int32_t>{0, 1, 2, 3}));
  // The right side has 9 before all and lacks 3; 7 and 8 are no pair.
  EXPECT_EQ(aligned({1, 2, 3, 4, 5}, {9, 1, 2, 4, 5}), (std::vector<std::int32_t>{1, 2, -1, 3, 4}));
  EXPECT_EQ(aligned({1, 2, 7, 4, 5}, {1, 2, 8, 4, 5}), (std::vector<std::int32_t>{0, 1, -1, 3, 4}));
  EXPECT_EQ(aligned({}, {1}), std::vector<std::int32_t>{});
}

// gui_and_traces.md 3.3: 36/36 names match on External id = rf_id.
TEST(Join, MatchesEveryNodeOfTheSimplePair) {
  SKIP_WITHOUT_SAMPLES();
  auto trace = read_kineto(samples / "kineto/hta/simple_add_trace.json.gz");
  const auto execution =
      read_execution_trace(samples / "pytorch_et/hta/simple_add_et_schema1.0.1.json.gz");
  ASSERT_TRUE(trace && execution);
  const JoinedTraces joined = join(*trace, *execution);
  EXPECT_EQ(joined.by, JoinedTraces::By::number);
  EXPECT_EQ(joined.nodes, 36);
  EXPECT_EQ(joined.matched, 36);
  EXPECT_TRUE(joined.unmatched.empty());
  int uniforms = 0;
  for (const TraceEvent& event : trace->events) {
    if (trace->names[static_cast<std::size_t>(event.name)] != "aten::uniform_") continue;
    ++uniforms;
    ASSERT_GE(event.facts, 0);
    const auto& facts = trace->operations[static_cast<std::size_t>(event.facts)];
    EXPECT_EQ(trace->names[static_cast<std::size_t>(facts.shapes)], "[[256, 256], [], [], []]");
    EXPECT_EQ(trace->names[static_cast<std::size_t>(facts.types)], "[float, Scalar, Scalar, ]");
  }
  EXPECT_GT(uniforms, 0);
}

// The pair's numbers differ by one and more: every one of 1672 nodes is found by its order.
TEST(Join, MatchesTracesNumberedApartByOrder) {
  SKIP_WITHOUT_SAMPLES();
  const test::ScratchFolder folder;
  ASSERT_EQ(folder.unpack(samples / "kineto/param/dlrm_8ranks_v100_kineto.tar.gz"), 0);
  ASSERT_EQ(folder.unpack(samples / "pytorch_et/param/dlrm_8ranks_et_schema1.0.1.tar.gz"), 0);
  for (const auto& entry : fs::directory_iterator(folder.path / "dlrm_kineto")) {
    auto trace = read_kineto(entry.path());
    ASSERT_TRUE(trace);
    const auto execution = read_execution_trace(
        folder.path / ("dlrm_pytorch_et/dlrm_eg_" + std::to_string(trace->rank) + ".json"));
    ASSERT_TRUE(execution) << execution.error().text();
    std::int64_t unknown = 0;
    for (const RecordedCommunication& facts : trace->communications)
      unknown += facts.elements_out < 0 ? 1 : 0;
    EXPECT_GT(unknown, 0);
    const JoinedTraces joined = join(*trace, *execution);
    EXPECT_EQ(joined.by, JoinedTraces::By::order);
    EXPECT_EQ(joined.nodes, 1672);
    EXPECT_EQ(joined.matched, 1672) << entry.path();
    EXPECT_EQ(joined.communications, 16);  // 8 operations and their kernels
    for (const TraceEvent& event : trace->events) {
      if (!is_communication(*trace, event)) continue;
      EXPECT_GE(trace->communications[static_cast<std::size_t>(event.facts)].elements_out, 0);
    }
  }
}

TEST(Join, GivesAnEventToOneNodeOnly) {
  RankTrace trace;
  trace.names = {"aten::mm"};
  trace.rows = {{RecordedRow::Kind::thread, -1, 1, "thread 1"}};
  trace.events = {{.external = 3, .kind = EventKind::operation}};
  ExecutionTrace execution;
  execution.names = {"aten::mm"};
  execution.nodes = {{.id = 5, .record = 3}, {.id = 6, .record = 3}};
  EXPECT_EQ(join(trace, execution).matched, 1);
}

TEST(Join, SaysWhatItDidNotFind) {
  RankTrace trace;
  trace.names = {"aten::mm"};
  trace.rows = {{RecordedRow::Kind::thread, -1, 1, "thread 1"}};
  trace.events = {{.external = 3, .kind = EventKind::operation}};
  ExecutionTrace execution;
  execution.names = {"aten::mm", "aten::add", "[]"};
  execution.nodes = {{.id = 5, .record = 3, .thread = 1, .name = 0},
                     {.id = 6, .record = 4, .thread = 1, .name = 1},
                     {.id = 1, .name = 2}};
  const JoinedTraces joined = join(trace, execution);
  EXPECT_EQ(joined.nodes, 2);
  EXPECT_EQ(joined.matched, 1);
  EXPECT_EQ(joined.operations, 1);
  EXPECT_EQ(joined.unmatched, (std::vector<LeftOut>{{"aten::add", 1}}));
}

}  // namespace
}  // namespace quintet
