// Parts of a search that stand alone: dealing of layers, names of places, shares, files.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "sim/plan/plan_file.h"
#include "sim/search/drafting.h"
#include "sim/search/placement.h"
#include "sim/search/search_fields.h"
#include "sim/search/search_file.h"
#include "sim/search/search_share.h"
#include "tests/support/temporary_folder.h"

namespace quintet {
namespace {

// arXiv 2407.21783, section 3.3.2: one layer fewer on the first and on the last stage.
TEST(DealtLayers, Llama3Of126LayersOn16StagesHasFewerAtItsEnds) {
  std::vector<int> dealt(16, 8);
  dealt.front() = dealt.back() = 7;
  EXPECT_EQ(dealt_layers(126, 16), dealt);
}

TEST(DealtLayers, AreAllOfTheModelAndDifferByOne) {
  for (int layers = 1; layers <= 40; ++layers)
    for (int pieces = 1; pieces <= 45; ++pieces) {
      const std::vector<int> dealt = dealt_layers(layers, pieces);
      ASSERT_EQ(dealt.empty(), pieces > layers || layers % pieces == 0);
      if (dealt.empty()) continue;
      EXPECT_EQ(std::accumulate(dealt.begin(), dealt.end(), 0), layers);
      EXPECT_EQ(*std::max_element(dealt.begin(), dealt.end()) -
                    *std::min_element(dealt.begin(), dealt.end()),
                1);
    }
}

// Two hosts of three: ranks 0, 2, 4 on the first, 1, 3, 5 on the second.
TEST(Placement, CyclicDealsRanksToHostsInTurn) {
  EXPECT_EQ(slots_of(Placement::cyclic, {2, 6, 3}), (std::vector<int>{0, 3, 1, 4, 2, 5}));
}

std::set<std::string> paths_of(const FieldDescription& object, const std::string& prefix) {
  std::set<std::string> paths;
  for (const FieldDescription& field : object.fields) {
    const std::string path = prefix + field.key;
    paths.insert(path);
    const std::set<std::string> inner = paths_of(field, path + ".");
    paths.insert(inner.begin(), inner.end());
  }
  return paths;
}

// But for those that a search names itself, each is one of the plan's file.
TEST(SearchFields, AreFieldsOfPlans) {
  const std::set<std::string> own{
      "ccl.data.algorithm",  "ccl.data.protocol",   "ccl.data.channels", "ccl.tensor.algorithm",
      "ccl.tensor.protocol", "ccl.tensor.channels", "intra_inter.data",  "intra_inter.tensor"};
  const std::set<std::string> paths = paths_of(plan_fields(), "");
  for (const SearchField& field : search_fields())
    EXPECT_TRUE(paths.contains(std::string(field.path)) || own.contains(std::string(field.path)))
        << field.path;
}

Result<StartedShare> started(const std::map<std::string, std::string>& variables) {
  return started_share([&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(StartedShare, IsWhatLaunchersSay) {
  EXPECT_EQ(started({})->share, (SearchShare{0, 1}));
  EXPECT_EQ(started({{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "3"}})->share,
            (SearchShare{2, 3}));
  EXPECT_EQ(started({{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}})->share, (SearchShare{1, 4}));
  EXPECT_EQ(started({{"SLURM_PROCID", "5"}, {"SLURM_STEP_NUM_TASKS", "6"}})->share,
            (SearchShare{5, 6}));
  // A batch script.
  EXPECT_EQ(started({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "6"}})->share, (SearchShare{0, 1}));
}

// --array=3-9:2 has the tasks 3, 5, 7, 9; each runs two ranks: the third's second is 2 x 2 + 1.
TEST(StartedShare, CountsTheTasksOfAnArrayAndTheirRanks) {
  const auto share = started({{"SLURM_ARRAY_TASK_ID", "7"},
                              {"SLURM_ARRAY_TASK_MIN", "3"},
                              {"SLURM_ARRAY_TASK_STEP", "2"},
                              {"SLURM_ARRAY_TASK_COUNT", "4"},
                              {"SLURM_PROCID", "1"},
                              {"SLURM_STEP_NUM_TASKS", "2"}});
  ASSERT_TRUE(share);
  EXPECT_EQ(share->share, (SearchShare{5, 8}));
  EXPECT_FALSE(share->together);
}

TEST(StartedShare, RefusesNumbersThatAreNone) {
  const auto share = started({{"PMI_RANK", "x"}, {"PMI_SIZE", "4"}});
  ASSERT_FALSE(share);
  EXPECT_EQ(share.error().where, "PMI_RANK");
}

SearchState some_state() {
  SearchState state;
  state.phase = SearchPhase::proving;
  state.position = 12;
  // Numbers that have no short decimal fraction.
  state.estimated = {{1.0 / 3, 7, {{1.0 / 3}, {0.1}, {2e9 / 7}, {8e10}}}};
  state.simulated = {{0.1 + 0.2, 1ULL << 61, {{0.3}, {0.2}, {1}, {2}}}};
  state.counts.bounded = 5;
  state.failure = "a \"reason\"";
  return state;
}

TEST(SearchFile, ReadsBackToTheLastBit) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "s.json";
  const SearchIdentity identity{"00ff", "some search", {1, 3}};
  ASSERT_EQ(replace_file(file, search_text(identity, some_state())), std::nullopt);
  const auto read = read_search(file, identity);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, some_state());
}

TEST(SearchFile, OfAnotherSearchOrPartIsRefused) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "s.json";
  ASSERT_EQ(replace_file(file, search_text({"00ff", "some search", {1, 3}}, some_state())),
            std::nullopt);
  const auto other = read_search(file, {"00fe", "", {1, 3}});
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().what.find("is of another search (some search)"), std::string::npos);
  const auto part = read_search(file, {"00ff", "", {0, 3}});
  ASSERT_FALSE(part);
  EXPECT_NE(part.error().what.find("is part 1 of 3, but this process is part 0 of 3"),
            std::string::npos);
}

}  // namespace
}  // namespace quintet
