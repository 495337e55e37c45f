// A machine that is not fit for measuring, from files that a kernel might show.
#include "calibrate/machine/machine_unrest.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace quintet::calibrate {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

class MachineUnrest : public ::testing::Test {
 protected:
  void SetUp() override {
    put(root() / "proc/pressure/cpu", "some avg10=3.00 avg60=40.00 avg300=0.00 total=1\n");
    put(root() / "proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n");
    for (const char* const core : {"cpu0", "cpu1"}) {
      put(of(core, "cpufreq/scaling_max_freq"), "3500000\n");
      put(of(core, "cpufreq/cpuinfo_max_freq"), "3600000\n");
      put(of(core, "thermal_throttle/core_throttle_count"), "17\n");
    }
  }
  fs::path root() const { return folder_.path(); }
  fs::path of(const std::string& core, const std::string& what) const {
    return root() / "sys/devices/system/cpu" / core / what;
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(MachineUnrest, IsNoneWhereNothingDisturbs) {
  EXPECT_TRUE(unrest_in(root(), 1ms).empty());
  TemporaryFolder nothing;  // a kernel that tells nothing
  EXPECT_TRUE(unrest_in(nothing.path(), 1ms).empty());
}

TEST_F(MachineUnrest, SaysWhoWaits) {
  put(root() / "proc/pressure/cpu", "some avg10=37.20 avg60=0.00 avg300=0.00 total=1\n");
  put(root() / "proc/pressure/memory", "some avg10=12.00 avg60=0.00 avg300=0.00 total=1\n");
  EXPECT_EQ(unrest_in(root(), 1ms),
            (std::vector<std::string>{
                "other programs want this machine's cores (/proc/pressure/cpu: something waited "
                "37 % of the last 10 s)",
                "other programs want this machine's memory (/proc/pressure/memory: something "
                "waited 12 % of the last 10 s)"}));
}

TEST_F(MachineUnrest, SaysThatClocksAreHeldDown) {
  put(of("cpu1", "cpufreq/scaling_max_freq"), "1200000\n");
  EXPECT_EQ(unrest_in(root(), 1ms),
            std::vector<std::string>{"clocks are held down: cpu1 may run at 1200 MHz of 3600"});
}

// What was throttled before does not matter; what is throttled now does.
TEST_F(MachineUnrest, SaysThatCoresAreSlowedByHeat) {
  std::jthread heat([this] {
    std::this_thread::sleep_for(100ms);
    put(of("cpu0", "thermal_throttle/core_throttle_count"), "19\n");
  });
  EXPECT_EQ(unrest_in(root(), 1000ms),
            std::vector<std::string>{"cores are slowed by heat: 2 times just now"});
}

}  // namespace
}  // namespace quintet::calibrate
