// Which plans we would have picked of the published sheets, where the rows are beside the
// repository: they come with licences of their own. What each pick cost: quintet validate --regret.
#include <gtest/gtest.h>

#include <thread>

#include "sim/base/parallel.h"
#include "sim/validate/fit/tunable_shelf.h"
#include "sim/validate/rows/row_files.h"
#include "sim/validate/sheet.h"
#include "sim/validate/validation.h"
#include "tests/sim/validate/shelf.h"

namespace quintet {
namespace {

namespace fs = std::filesystem;

fs::path rows_of(const std::string& source) {
  return repository() / "../shared/validation" / (source + ".csv");
}

Result<TunableShelf> whole_shelf() {
  ShelfFiles files{repository() / "traces/stacks",
                   repository() / "traces/machines/published.json",
                   {},
                   repository() / "topologies"};
  for (const auto& entry : fs::directory_iterator(repository() / "traces/costs"))
    if (entry.path().extension() == ".json") files.costs.push_back(entry.path());
  return read_tunable_shelf(files);
}

// The step is predicted only where a row is predicted to fit: no other is picked.
std::vector<RowVerdict> verdicts_of(const std::vector<PublishedRow>& rows, const Shelf& shelf,
                                    const fs::path& topologies) {
  MachinePark machines(topologies);
  std::vector<RowVerdict> verdicts(rows.size());
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for_each_index(rows.size(), cores, [&](std::size_t i) {
    verdicts[i] = memory_verdict_of(rows[i], shelf, machines);
    if (verdicts[i].prediction && verdicts[i].prediction->fits)
      verdicts[i] = verdict_of(rows[i], shelf, machines);
  });
  return verdicts;
}

struct Bar {
  const char* source;
  double mean, largest;
};

class PublishedSheets : public testing::TestWithParam<Bar> {};

TEST_P(PublishedSheets, ThePickedPlanIsAmongTheMeasuredBest) {
  const Bar bar = GetParam();
  const fs::path file = rows_of(bar.source);
  if (!fs::exists(file)) GTEST_SKIP() << "NOT CHECKED: the published rows are absent: " << file;
  const auto rows = read_row_file(file);
  ASSERT_TRUE(rows) << rows.error().text();
  const auto shelf = whole_shelf();
  ASSERT_TRUE(shelf) << shelf.error().text();
  const std::vector<RowVerdict> verdicts = verdicts_of(*rows, shelf->shelf, shelf->topologies);
  std::vector<const RowVerdict*> all;
  for (const RowVerdict& verdict : verdicts) all.push_back(&verdict);
  const Regrets regrets = regrets_of(sheets_of(all));
  EXPECT_GE(regrets.sheets, 1);
  EXPECT_EQ(regrets.failed, 0);
  EXPECT_LE(regrets.mean, bar.mean);
  EXPECT_LE(regrets.largest, bar.largest);
}

// Mean at most 3 %, none of the layout sheets over 8 %.
INSTANTIATE_TEST_SUITE_P(Sources, PublishedSheets,
                         testing::Values(Bar{"e2e_aleph_alpha_a100", 0.03, 0.08},
                                         Bar{"e2e_vtrain_a100_multi", 0.03, 1},
                                         Bar{"e2e_vtrain_a100_single_node", 0.03, 1},
                                         Bar{"e2e_mosaicml_llm_foundry", 0.03, 1},
                                         Bar{"e2e_nvidia_dgxc", 0.03, 1}),
                         [](const auto& instance) { return std::string(instance.param.source); });

}  // namespace
}  // namespace quintet
