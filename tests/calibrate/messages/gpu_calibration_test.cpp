// quintet calibrate --device gpu as it is typed, on a host with two stand-ins for GPUs and one for
// NCCL, whose times are known (scheduled_nccl.cpp); processes, plugin, journal and table are real.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <vector>

#include "sim/cost/collective_curve.h"
#include "sim/cost/file/cost_table_file.h"
#include "tests/support/run_program.h"
#include "tests/support/shipped.h"
#include "tests/support/temporary_folder.h"

namespace quintet::test {
namespace {

constexpr const char* on_two_gpus =
    "QUINTET_CUDA_MODULE=" QUINTET_SCHEDULED_GPUS " QUINTET_NCCL_LIBRARY=" QUINTET_SCHEDULED_NCCL
    " quintet calibrate --device gpu --topology dgx-h100-1 --without-operators --busy ";

double by_ll(Bytes size) {
  return 20e-6 + size.value / 5e9;
}
double by_simple(Bytes size) {
  return 40e-6 + size.value / 10e9;
}

const CollectiveCurve* all_reduce(const CostTable& table, std::optional<Algorithm> algorithm,
                                  std::optional<Protocol> protocol) {
  return curve_for({CollectiveKind::all_reduce, 2, 1, algorithm, protocol, {}},
                   table.communication);
}

// What this program gets of the cores when it wants all of them for a quarter of a second.
double share_of_cores() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  const std::clock_t used = std::clock();  // of all threads
  std::vector<std::thread> threads;
  for (unsigned core = 0; core < std::thread::hardware_concurrency(); ++core)
    threads.emplace_back([begin] {
      while (Clock::now() - begin < std::chrono::milliseconds(250)) {
      }
    });
  for (std::thread& thread : threads) thread.join();
  const double wanted = std::chrono::duration<double>(Clock::now() - begin).count() *
                        static_cast<double>(threads.size());
  return static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC / wanted;
}

// Small ones would take the host longer to queue than NCCL to do: that is not what is found.
void expect_scheduled_times(const CollectiveCurve& chosen, const CollectiveCurve& ll) {
  for (const double bytes : {4096.0, 1e6, 16e6}) {
    const Bytes size{bytes};
    EXPECT_NEAR(time_along(ll.points, size).value / by_ll(size), 1, 0.2) << bytes;
    EXPECT_NEAR(time_along(chosen.points, size).value / std::min(by_ll(size), by_simple(size)), 1,
                0.2)
        << bytes;
  }
}

TEST(GpuCalibration, FindsTheTimesOfNcclsChoiceAndOfEachThatItTakes) {
  constexpr double all_but_a_little = 0.93;
  const TemporaryFolder folder;
  const double before = share_of_cores();
  const ProgramRun run = run_shell(
      std::string(on_two_gpus) + "--ranks 2 --message-time 12 -o costs.json", folder.path());
  const double after = share_of_cores();
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const CostTable table = required(read_cost_table(folder.path() / "costs.json"));
  EXPECT_FALSE(table.processors);
  if (std::min(before, after) < all_but_a_little)
    GTEST_SKIP() << "other programs take this machine's cores: two ranks get "
                 << 100 * std::min(before, after) << " % of them, and times would be theirs";
  const CollectiveCurve* const chosen = all_reduce(table, {}, {});
  const CollectiveCurve* const ll = all_reduce(table, Algorithm::ring, Protocol::ll);
  ASSERT_TRUE(chosen && ll) << run.out;
  expect_scheduled_times(*chosen, *ll);
  EXPECT_EQ(all_reduce(table, Algorithm::ring, Protocol::ll128), nullptr);
  EXPECT_EQ(all_reduce(table, Algorithm::tree, Protocol::ll), nullptr);
  EXPECT_NE(run.out.find("collectives that these ranks do not do by that algorithm: all-reduce by "
                         "ring ll128"),
            std::string::npos)
      << run.out;
  ASSERT_EQ(table.communication.pairs.size(), 1u);
  EXPECT_NEAR(table.communication.pairs[0].rate.value, 10e9, 1e9);
  EXPECT_EQ(table.overlap.rows.size(), 4u);
}

std::string mpirun(int ranks) {
  return std::string("mpirun --oversubscribe") + (geteuid() == 0 ? " --allow-run-as-root" : "") +
         " -n " + std::to_string(ranks) + " env ";
}

bool has_mpirun() {
  return std::system("command -v mpirun >/dev/null 2>&1") == 0;
}

TEST(GpuCalibration, TakesRanksFromTheEnvironmentUnderMpirun) {
  if (!has_mpirun()) GTEST_SKIP() << "mpirun is not installed (Debian: openmpi-bin)";
  const TemporaryFolder folder;
  const ProgramRun run =
      run_shell(mpirun(2) + on_two_gpus + "--message-time 4 -o costs.json", folder.path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const CostTable table = required(read_cost_table(folder.path() / "costs.json"));
  EXPECT_NE(all_reduce(table, {}, {}), nullptr) << run.out;
}

TEST(GpuCalibration, RefusesMoreRanksThanThereAreGpus) {
  if (!has_mpirun()) GTEST_SKIP() << "mpirun is not installed (Debian: openmpi-bin)";
  const TemporaryFolder folder;
  const ProgramRun run =
      run_shell(mpirun(3) + on_two_gpus + "--message-time 3 -o costs.json", folder.path());
  EXPECT_NE(run.exit_code, 0);
  EXPECT_NE(run.err.find("--device gpu: 2 ranks share a GPU"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace quintet::test
