// Recorded steps in cost tables.
#include "calibrate/fit/recordings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "calibrate/fit/fitted_table.h"
#include "calibrate/fit/own_rows.h"
#include "sim/cost/file/cost_table_file.h"
#include "tests/support/shipped.h"

namespace quintet::calibrate {
namespace {

namespace fs = std::filesystem;

std::string text_in(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "quintet_XXXXXX").string();
    path = ::mkdtemp(name.data()) != nullptr ? name : std::string{};
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    if (!path.empty()) fs::remove_all(path, ignored);
  }
};

LaunchSample launch_of(double microseconds) {
  return {Seconds{microseconds * 1e-6}, "Tesla V100-SXM2-32GB", "rank0.json"};
}

// Medians of 1 to 9 and of 2, 4, ... 18 us: 5 and 10. Of 7 samples nothing is made.
TEST(FittedLaunches, AreMediansWithTheirNumberAndSource) {
  Measurements measured;
  for (int i = 1; i <= 9; ++i) {
    measured.launches.push_back(launch_of(i));
    measured.launch_gaps.push_back(launch_of(2 * i));
  }
  const std::string file = test::source("traces/costs/v100-sxm-32gb.json"), base = text_in(file);
  const auto made = fitted_table(base, file, measured, "2026-11-28");
  ASSERT_TRUE(made) << made.error().text();
  const auto table = parse_cost_table(made->text, "made");
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_NEAR(table->launch.eager.value, 5e-6, 1e-12);
  EXPECT_NEAR(table->launch.gap.value, 10e-6, 1e-12);
  EXPECT_EQ(table->launch.evidence, Evidence::measured);
  EXPECT_TRUE(table->launch.source.starts_with(
      "eager: median of 9 in rank0.json; gap: median of 9 in rank0.json; fitted 2026-11-28"))
      << table->launch.source;
  EXPECT_EQ(std::count(made->kept.begin(), made->kept.end(), "launch"), 0);

  measured.launches.resize(7);
  const auto fewer = fitted_table(base, file, measured, "2026-11-28");
  ASSERT_TRUE(fewer) << fewer.error().text();
  const auto kept = parse_cost_table(fewer->text, "fewer"), before = parse_cost_table(base, file);
  ASSERT_TRUE(kept && before);
  EXPECT_EQ(kept->launch.eager, before->launch.eager);
  EXPECT_EQ(fewer->left_out.size(), 1u);
}

TEST(OwnRows, TakeACardByItsDriversName) {
  EXPECT_TRUE(is_same_gpu("Tesla V100-SXM2-32GB", "V100-SXM-32GB"));
  EXPECT_TRUE(is_same_gpu("NVIDIA A100-SXM4-80GB", "A100-SXM-80GB"));
  EXPECT_FALSE(is_same_gpu("NVIDIA A100-SXM4-40GB", "A100-SXM-80GB"));
}

// 8 V100: each rank 14 to 18 products, and of the step 8 collectives.
TEST(Recordings, OfADlrmStepGiveProductsCollectivesAndLaunches) {
  const fs::path archive =
      test::source("../shared/samples/kineto/param/dlrm_8ranks_v100_kineto.tar.gz");
  if (!fs::exists(archive)) GTEST_SKIP() << "NOT CHECKED: there is no " << archive;
  const Folder folder;
  ASSERT_EQ(std::system(("tar -xzf '" + archive.string() + "' -C '" + folder.path.string() +
                         "' --no-same-owner")
                            .c_str()),
            0);
  std::vector<fs::path> files;
  for (const auto& each : fs::directory_iterator(folder.path / "dlrm_kineto"))
    files.push_back(each.path());
  std::sort(files.begin(), files.end());
  if (!is_recorded(files.front())) GTEST_SKIP() << "NOT CHECKED: this build reads no traces";
  const auto read = read_recordings(files);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->collectives.size(), 8u);
  EXPECT_GE(read->gemms.size(), 8u * 14u);
  EXPECT_LE(read->gemms.size(), 8u * 18u);
  EXPECT_GT(read->launches.size(), 1000u);
  for (const CollectiveSample& each : read->collectives) EXPECT_EQ(each.ranks, 8);
  for (const GemmSample& each : read->gemms) EXPECT_EQ(each.gpu, "Tesla V100-SXM2-32GB");
  EXPECT_FALSE(read->left_out.empty());
}

}  // namespace
}  // namespace quintet::calibrate
