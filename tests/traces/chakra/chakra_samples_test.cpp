#include <unistd.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "tests/traces/chakra/chakra_files.h"

using namespace quintet;
using namespace quintet::chakra_test;

namespace {

namespace fs = std::filesystem;

// What a packed sample holds, in a directory that goes when the test ends.
class Unpacked {
 public:
  explicit Unpacked(const fs::path& archive) {
    directory_ = fs::temp_directory_path() /
                 ("quintet-chakra-" + std::to_string(getpid()) + "-" + std::to_string(std::rand()) + archive.stem().string());
    fs::create_directories(directory_);
    const std::string command =
        "tar xzf '" + archive.string() + "' -C '" + directory_.string() + "' 2>/dev/null";
    good_ = std::system(command.c_str()) == 0;
  }
  Unpacked(const Unpacked&) = delete;
  Unpacked& operator=(const Unpacked&) = delete;
  ~Unpacked() { fs::remove_all(directory_); }
  bool good() const { return good_; }
  fs::path operator/(const char* file) const { return directory_ / file; }

 private:
  fs::path directory_;
  bool good_ = false;
};

Result<Workload> read(const fs::path& file) {
  return read_chakra(std::vector{file});
}

std::ptrdiff_t count(const Workload& workload, SpanKind kind) {
  const WorkloadRank& rank = workload.ranks.at(0);
  return std::count_if(rank.tasks.begin(), rank.tasks.end(), [&](const WorkloadTask& task) {
    return workload.infos[static_cast<std::size_t>(task.info)].kind == kind;
  });
}

// Counted with an own decoder of the wire format: 3664 nodes, of which 1209 kernels, 2434
// operations and 14 collectives of the CPU, 7 collectives of the GPU.
TEST(ChakraSamples, TheConvertersTraceHasAllItsNodes) {
  QUINTET_NEEDS_SAMPLES();
  const Unpacked unpacked(samples() / "mlcommons/feeder_tests_trace.tar.gz");
  ASSERT_TRUE(unpacked.good());
  const auto workload = read(unpacked / "tests/data/chakra.0.et");
  ASSERT_TRUE(workload) << workload.error().text();
  EXPECT_EQ(faults(*workload), std::vector<std::string>{});
  EXPECT_EQ(workload->ranks.at(0).tasks.size(), 3664U);
  EXPECT_EQ(count(*workload, SpanKind::compute), 1209);
  EXPECT_EQ(count(*workload, SpanKind::host), 2434 + 14);
  EXPECT_EQ(count(*workload, SpanKind::collective), 7);
  const std::string told = remarks(*workload);
  EXPECT_NE(told.find("14 collectives on the CPU"), std::string::npos) << told;
  EXPECT_NE(told.find("ctrl_deps order nothing"), std::string::npos) << told;
}

// The same trace: both say the same of every node but for names, in which the JSON was spelled
// over.
TEST(ChakraSamples, TheJsonTwinHasTheSameNodesAndTimes) {
  QUINTET_NEEDS_SAMPLES();
  const Unpacked messages(samples() / "mlcommons/feeder_tests_trace.tar.gz");
  const Unpacked json(samples() / "mlcommons/json_trace.tar.gz");
  const auto one = read(messages / "tests/data/chakra.0.et");
  const auto other = read(json / "jsonData/chakra.0.json");
  ASSERT_TRUE(one) << one.error().text();
  ASSERT_TRUE(other) << other.error().text();
  const WorkloadRank& left = one->ranks.at(0);
  const WorkloadRank& right = other->ranks.at(0);
  ASSERT_EQ(right.tasks.size(), left.tasks.size());
  EXPECT_EQ(right.after, left.after);
  for (std::size_t i = 0; i < left.tasks.size(); ++i)
    EXPECT_EQ(right.tasks[i].work, left.tasks[i].work) << i;
  const auto small = read(json / "jsonData/small_chakra.0.json");
  ASSERT_TRUE(small) << small.error().text();
  EXPECT_EQ(small->ranks.at(0).tasks.size(), 7U);
}

TEST(ChakraSamples, ThePyTorchTraceThatChakraConvertsFromIsRefused) {
  QUINTET_NEEDS_SAMPLES();
  const Unpacked unpacked(samples() / "mlcommons/host_et_1.0.2-chakra.0.0.4.tgz");
  const auto workload = read(unpacked / "1.0.2-chakra.0.0.4.json");
  ASSERT_FALSE(workload);
  EXPECT_NE(workload.error().what.find("expected"), std::string::npos) << workload.error().text();
}

TEST(ChakraSamples, AstraSimsMicrobenchmarksAreOneCollectiveOfEightRanks) {
  QUINTET_NEEDS_SAMPLES();
  const double mib = 1048576;
  const std::vector<std::tuple<std::string, CollectiveKind, double>> benchmarks{
      {"all_gather", CollectiveKind::all_gather, 8 * mib},
      {"all_reduce", CollectiveKind::all_reduce, mib},
      {"all_to_all", CollectiveKind::all_to_all, mib},
      {"reduce_scatter", CollectiveKind::reduce_scatter, mib}};
  for (const auto& [name, kind, size] : benchmarks) {
    // By directory and by prefix.
    const fs::path directory = samples() / "astra-sim" / (name + ".8npus_1MB");
    for (const fs::path& given : {directory, directory / name}) {
      const auto workload = read(given);
      ASSERT_TRUE(workload) << workload.error().text();
      ASSERT_EQ(workload->ranks.size(), 8U);
      EXPECT_EQ(workload->groups.at(0).ranks.size(), 8U);
      for (std::size_t rank = 0; rank < 8; ++rank) {
        EXPECT_EQ(workload->ranks[rank].rank.value, static_cast<int>(rank));
        EXPECT_EQ(peers(*workload, rank, 0).collective, kind);
        EXPECT_EQ(peers(*workload, rank, 0).sequence, 0);
        EXPECT_EQ(info(*workload, rank, 0).size.value, size);
      }
      EXPECT_EQ(remarks(*workload), "");
    }
  }
}

// The ring in its file: each rank has 28 steps, 14 sends of 128 KiB to the next rank and 14
// receives from the one before, the first 7 of which reduce for 7 us.
TEST(ChakraSamples, AstraSimsRingOfMessagesMeetsAllOfThem) {
  QUINTET_NEEDS_SAMPLES();
  const auto workload = read(samples() / "astra-sim/custom_ring_allreduce_8npus_1MB");
  ASSERT_TRUE(workload) << workload.error().text();
  ASSERT_EQ(workload->ranks.size(), 8U);
  EXPECT_EQ(faults(*workload), std::vector<std::string>{});
  EXPECT_EQ(remarks(*workload), "");
  EXPECT_EQ(count(*workload, SpanKind::send), 14);
  EXPECT_EQ(count(*workload, SpanKind::receive), 14);
  EXPECT_EQ(count(*workload, SpanKind::compute), 7);
  for (std::size_t rank = 0; rank < 8; ++rank)
    for (const WorkloadTask& task : workload->ranks[rank].tasks) {
      const SpanInfo& what = workload->infos[static_cast<std::size_t>(task.info)];
      if (!is_communication(what.kind)) continue;
      const TaskPeers& with = workload->ranks[rank].peers[static_cast<std::size_t>(task.peers)];
      EXPECT_EQ(with.peer, static_cast<int>((rank + (what.kind == SpanKind::send ? 1 : 7)) % 8));
      EXPECT_EQ(what.size.value, 131072);
    }
}

}  // namespace
