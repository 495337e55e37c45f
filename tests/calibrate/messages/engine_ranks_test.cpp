// Real ranks of this machine, threads that talk over the loopback interface.
#include "calibrate/ranks/engine_ranks.h"

#include <gtest/gtest.h>

#include <atomic>

#include "calibrate/messages/measuring_ranks.h"
#include "calibrate/messages/message_job.h"
#include "calibrate/messages/message_sampling.h"
#include "engine/device/gpu_module.h"
#include "tests/support/local_job.h"
#include "tests/support/temporary_folder.h"

namespace quintet::calibrate {
namespace {

// Rank 0 does `work`; `host` of each rank.
std::string among(int ranks, const std::function<int(int)>& host,
                  const std::function<void(EngineRanks&)>& work) {
  return engine::run_job({.ranks = ranks}, [&](engine::Transport& transport) {
    const Result<JobSeats> job = seats_of_job(transport, host(transport.rank().value));
    ASSERT_TRUE(job) << job.error().text();
    if (transport.rank() != Rank{0}) {
      const auto wrong = serve(transport, *job);
      EXPECT_FALSE(wrong) << wrong->text();
      return;
    }
    EngineRanks asking(transport, *job);
    work(asking);
    EXPECT_FALSE(asking.end());
  });
}

// Every method on every group that a job of two hosts has: longer for more bytes.
TEST(EngineRanks, TimeEveryMethodAndGroup) {
  EXPECT_EQ(among(
                4, [](int rank) { return rank / 2; },
                [](EngineRanks& ranks) {
                  EXPECT_EQ(ranks.seats()[3], (RankSeat{1, 0}));
                  for (const CurveName& name : curves_to_measure(ranks.seats(), ranks.methods())) {
                    if (!name.method) continue;
                    const auto small =
                        ranks.time(CollectiveProbe{*name.method, name.members, Bytes{256}}, 5);
                    const auto large =
                        ranks.time(CollectiveProbe{*name.method, name.members, Bytes{8 << 20}}, 1);
                    ASSERT_TRUE(small && large) << text_of(name);
                    EXPECT_GT(*small, Seconds{}) << text_of(name);
                    EXPECT_GT(*large, *small) << text_of(name);
                  }
                }),
            "");
}

TEST(EngineRanks, TimePairsWorkClocksAndOverlap) {
  EXPECT_EQ(among(
                3, [](int rank) { return rank; },
                [](EngineRanks& ranks) {
                  const auto pair = ranks.time(PairProbe{1, 2, Bytes{1024}}, 10);
                  ASSERT_TRUE(pair);
                  EXPECT_GT(*pair, Seconds{});
                  const auto quanta = ranks.quanta(5);
                  ASSERT_TRUE(quanta);
                  for (const std::vector<double>& each : *quanta) {
                    ASSERT_EQ(each.size(), 5u);
                    for (const double seconds : each) EXPECT_GT(seconds, 0);
                  }
                  // One clock for all threads of a machine.
                  const auto clocks = ranks.clocks();
                  ASSERT_TRUE(clocks);
                  ASSERT_EQ(clocks->offsets.size(), 3u);
                  for (const Seconds offset : clocks->offsets)
                    EXPECT_LE(std::abs(offset.value), clocks->bound.value);
                  const auto overlap = ranks.overlap(
                      {ComputeClass::memory, CommunicationClass::copying, Bytes{1 << 20}, 3});
                  ASSERT_TRUE(overlap);
                  // None where other programs had the cores for all of the three calls.
                  EXPECT_GE(overlap->work_alone, 0);
                  EXPECT_GT(overlap->time_beside, Seconds{});
                  EXPECT_GT(overlap->time_alone, Seconds{});
                }),
            "");
}

// A few seconds of the whole thing, into a journal.
TEST(EngineRanks, AreSampled) {
  TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "j";
  EXPECT_EQ(among(
                2, [](int rank) { return rank; },
                [&](EngineRanks& ranks) {
                  Result<ProbeJournal> journal = ProbeJournal::open(file, "test");
                  ASSERT_TRUE(journal);
                  MessageSamplingOptions options;
                  options.at = "here";
                  options.time = Seconds{4};
                  options.clock = [begin = std::chrono::steady_clock::now()] {
                    const auto passed = std::chrono::steady_clock::now() - begin;
                    return Seconds{std::chrono::duration<double>(passed).count()};
                  };
                  EXPECT_TRUE(sample_messages(ranks, *journal, options));
                  EXPECT_GT(journal->timings().size(), 5u);
                  const auto curves =
                      known_curves(curves_to_measure(ranks.seats(), ranks.methods()),
                                   journal->timings(), "here");
                  EXPECT_GE(curves.front().curve.samples(), 2);
                }),
            "");
}

TEST(StartedRank, ReadsItsOwnWords) {
  StartedRank rank;
  rank.rank = 3;
  rank.ranks = 4;
  rank.host = 7;
  rank.server.host = "10.77.0.1";
  rank.server.port = 4777;
  rank.interface = "nic0";
  rank.request = {"/tmp/a b.journal", "cores, and more",     "here", 0.02,
                  Seconds{0.25},      engine::Processor::gpu};
  const Result<StartedRank> read = parse_started_rank(words_of(rank));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(words_of(*read), words_of(rank));
  EXPECT_EQ(read->request, rank.request);
  EXPECT_FALSE(parse_started_rank({started_rank_word, "0"}));
  std::vector<std::string> words = words_of(rank);
  words.back() = "tpu";
  EXPECT_FALSE(parse_started_rank(words));
}

// Processes that find no GPU end all, and are waited for.
TEST(MeasureOnGpus, EndsWithTheRankThatHasNone) {
  if (engine::found_gpus()) GTEST_SKIP() << "this machine has a GPU";
  TemporaryFolder folder;
  MessageRequest request{folder.path() / "journal", "none", "here", 0.02, Seconds{1},
                         engine::Processor::gpu};
  const std::filesystem::path program =
      std::filesystem::path(QUINTET_PROGRAM).parent_path() / "quintet-calibrate";
  const auto wrong = measure_on_gpus(2, request, program.string());
  ASSERT_TRUE(wrong);
  EXPECT_TRUE(wrong->text() == "timing messages: rank 0 failed" ||
              wrong->text() == "timing messages: rank 1 failed")
      << wrong->text();
}

}  // namespace
}  // namespace quintet::calibrate
