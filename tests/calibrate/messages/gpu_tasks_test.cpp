// Ranks with GPUs, threads that meet over the loopback interface: only the devices and NCCL are
// stand-ins.
#include "calibrate/ranks/gpu_tasks.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <latch>
#include <mutex>

#include "calibrate/messages/message_results.h"
#include "calibrate/messages/message_sampling.h"
#include "calibrate/ranks/engine_ranks.h"
#include "engine/nccl/plugins/plugin_interface.h"
#include "engine/peers/transport_peers.h"
#include "tests/stand_ins/fake_device.h"
#include "tests/stand_ins/tuned_nccl.h"
#include "tests/support/local_job.h"
#include "tests/support/plugin_files.h"
#include "tests/support/temporary_folder.h"

namespace quintet::calibrate {
namespace {

using engine::test::MovingNccl;

constexpr GpuPieceSize small_piece{16, 1 << 12, 1 << 10};
constexpr const char* ring_ll = R"({"ring": {"ll": 16, "simple": 50}})";

// One rank's world, as GpuRank makes it.
struct FakeGpuRank {
  FakeGpuRank(engine::Transport& transport, MovingNccl& moving, const std::filesystem::path& folder)
      : device(engine::fake_device()), peers(transport) {
    const std::string rank = std::to_string(transport.rank().value);
    nccl.rules = folder / ("rules" + rank);
    nccl.table = folder / ("table" + rank);
    nccl.has = {{"all-reduce", ring_ll}, {"all-gather", ring_ll}};
    functions = nccl.functions(moving, *device);
  }
  std::unique_ptr<GpuTasks> tasks(engine::Transport& transport, const JobSeats& job) {
    engine::NcclJob opening{functions, peers};
    opening.rules_file = nccl.rules;
    GpuRankParts parts{*device, opening, nccl.table, small_piece};
    parts.hold_bytes = 1 << 12;
    parts.sizes = {Bytes{1 << 14}, Bytes{1 << 12}, Bytes{1 << 12}, Seconds{0.001}};
    return std::make_unique<GpuTasks>(transport, job, parts);
  }

  std::unique_ptr<kernels::Device> device;
  engine::TransportPeers peers;
  TunedNccl nccl;
  engine::NcclFunctions functions;
};

class GpuRanks : public testing::Test {
 protected:
  // Rank 0 does `work`; host of each rank: rank / 2. `prepare` sees each rank before.
  std::string among(int ranks, const std::function<void(EngineRanks&)>& work,
                    const std::function<void(int, FakeGpuRank&)>& prepare = nullptr,
                    const std::function<void(int, FakeGpuRank&)>& after = nullptr) {
    MovingNccl moving;
    std::latch all_seated(ranks);  // a rank that fails must not end what comes before the work
    return engine::run_job({.ranks = ranks}, [&](engine::Transport& transport) {
      const int rank = transport.rank().value;
      const Result<JobSeats> job = seats_of_job(transport, rank / 2);
      all_seated.arrive_and_wait();
      ASSERT_TRUE(job) << job.error().text();
      FakeGpuRank own(transport, moving, folder_.path());
      if (prepare) prepare(rank, own);
      if (rank != 0) {
        const std::unique_ptr<GpuTasks> tasks = own.tasks(transport, *job);
        const auto wrong = serve(transport, *tasks);
        const std::scoped_lock lock(mutex_);
        if (wrong) ends_[rank] = wrong->text();
      } else {
        EngineRanks asking(transport, *job, own.tasks(transport, *job));
        work(asking);
      }
      const std::scoped_lock lock(mutex_);
      if (after) after(rank, own);
    });
  }

  TemporaryFolder folder_;
  std::mutex mutex_;
  std::map<int, std::string> ends_;  // how each rank but 0 failed
};

std::optional<Seconds> timed(EngineRanks& ranks, const Method& method, const Members& members) {
  const auto time = ranks.time(CollectiveProbe{method, members, Bytes{1024}}, 3);
  EXPECT_TRUE(time) << time.error().text();
  return time ? *time : std::nullopt;
}

// All kinds among all, inside a host and between hosts.
TEST_F(GpuRanks, TimeWhatNcclChoosesOfEveryKindAndGroup) {
  EXPECT_EQ(among(4,
                  [](EngineRanks& ranks) {
                    const Members all{0, 1, 4}, in_host{0, 1, 2}, among_hosts{0, 2, 2};
                    for (const Method& method : methods_on_gpus(TunerPlugin::missing))
                      for (const Members& members : {all, in_host, among_hosts}) {
                        const auto time = timed(ranks, method, members);
                        EXPECT_GT(time.value_or(Seconds{}), Seconds{}) << name_of(method.kind);
                      }
                    EXPECT_FALSE(ranks.end());
                  }),
            "");
  EXPECT_TRUE(ends_.empty());
}

// The stand-in has rings by LL, no LL128 and no trees. Trees are known to be missing from what NCCL
// said when it was free: no communicator is opened for them.
TEST_F(GpuRanks, RecordAnAlgorithmOnlyWhereNcclHadIt) {
  const auto of = [](Algorithm algorithm, Protocol protocol) {
    return Method{CollectiveKind::all_reduce, algorithm, protocol};
  };
  const Members both{0, 1, 2};
  EXPECT_EQ(among(
                2,
                [&](EngineRanks& ranks) {
                  // Not asked before: it is opened, timed and found out.
                  EXPECT_FALSE(timed(ranks, of(Algorithm::ring, Protocol::ll128), both));
                  EXPECT_TRUE(timed(ranks, {CollectiveKind::all_reduce, {}, {}}, both));
                  EXPECT_TRUE(timed(ranks, of(Algorithm::ring, Protocol::ll), both));
                  EXPECT_FALSE(timed(ranks, of(Algorithm::tree, Protocol::simple), both));
                  EXPECT_FALSE(ranks.end());
                },
                nullptr,
                [](int, FakeGpuRank& rank) {
                  const std::vector<std::string> names{"ranks-0+1x2-ring-ll128", "ranks-0+1x2",
                                                       "ranks-0+1x2-ring-ll"};
                  EXPECT_EQ(rank.nccl.opened, names);
                  // The one that was wanted last was not opened, the others in the order of their
                  // use.
                  EXPECT_EQ(rank.nccl.closed, names);
                }),
            "");
}

TEST_F(GpuRanks, TimePairsWorkOverlapAndClocks) {
  EXPECT_EQ(among(3,
                  [](EngineRanks& ranks) {
                    const auto pair = ranks.time(PairProbe{1, 2, Bytes{1024}}, 10);
                    ASSERT_TRUE(pair) << pair.error().text();
                    EXPECT_GT(*pair, Seconds{});
                    const auto quanta = ranks.quanta(5);
                    ASSERT_TRUE(quanta);
                    for (const std::vector<double>& each : *quanta) {
                      ASSERT_EQ(each.size(), 5u);
                      for (const double seconds : each) EXPECT_GT(seconds, 0);
                    }
                    for (const ComputeClass work : {ComputeClass::product, ComputeClass::memory}) {
                      const auto overlap =
                          ranks.overlap({work, CommunicationClass::copying, Bytes{1 << 12}, 3});
                      ASSERT_TRUE(overlap) << overlap.error().text();
                      EXPECT_GT(overlap->work_alone, 0);
                      EXPECT_GT(overlap->work_beside, 0);
                      EXPECT_GT(overlap->time_beside, Seconds{});
                      EXPECT_GT(overlap->time_alone, Seconds{});
                    }
                    const auto clocks = ranks.clocks();
                    ASSERT_TRUE(clocks);
                    EXPECT_EQ(clocks->offsets.size(), 3u);
                    EXPECT_FALSE(ranks.end());
                  }),
            "");
  EXPECT_TRUE(ends_.empty());
}

// Rank 2's NCCL fails while others wait for it: all end, with its reason.
TEST_F(GpuRanks, EndAllWhenOneFails) {
  std::string rank_0;
  EXPECT_EQ(among(
                3,
                [&](EngineRanks& ranks) {
                  const auto time = ranks.time(
                      CollectiveProbe{{CollectiveKind::all_reduce, {}, {}}, {0, 1, 3}, Bytes{1024}},
                      3);
                  ASSERT_FALSE(time);
                  rank_0 = time.error().text();
                },
                [](int rank, FakeGpuRank& own) {
                  if (rank == 2)
                    own.functions.all_reduce = [](const void*, void*, std::size_t, ncclDataType_t,
                                                  ncclRedOp_t, ncclComm_t,
                                                  cudaStream_t) { return ncclUnhandledCudaError; };
                }),
            "");
  const std::string cause = "NCCL communicator \"ranks-0+1x3\": ncclAllReduce: an error";
  EXPECT_NE(rank_0.find("rank 2: " + cause), std::string::npos) << rank_0;
  EXPECT_NE(ends_[1].find("rank 2: " + cause), std::string::npos) << ends_[1];
  EXPECT_EQ(ends_[2], cause);
}

// A few seconds of the whole thing become a table: NCCL's choice without an algorithm, rings by LL
// with theirs, and no trees.
TEST_F(GpuRanks, AreSampledIntoATable) {
  const std::filesystem::path file = folder_.path() / "journal";
  std::vector<RankSeat> seats;
  EXPECT_EQ(among(2,
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
                    seats = ranks.seats();
                    EXPECT_FALSE(ranks.end());
                  }),
            "");
  const Result<ProbeJournal> journal = ProbeJournal::open(file, "test");
  ASSERT_TRUE(journal);
  MessageWorld world{seats, methods_on_gpus(TunerPlugin::present), "here", "test",
                     [](const Members&) { return std::nullopt; }};
  world.sizes = {Bytes{1 << 14}, Bytes{1 << 12}, Bytes{1 << 12}, Seconds{0.001}};
  CostTable table;
  add_message_results(world, journal->timings(), table);
  int chosen = 0, rings = 0;
  for (const CollectiveCurve& curve : table.communication.curves) {
    EXPECT_NE(curve.algorithm, Algorithm::tree);
    chosen += curve.algorithm ? 0 : 1;
    rings += curve.algorithm == Algorithm::ring && curve.protocol == Protocol::ll ? 1 : 0;
  }
  EXPECT_GT(chosen, 0);
  EXPECT_GT(rings, 0);
  EXPECT_EQ(table.communication.messages.size(), 1u);
  EXPECT_EQ(table.communication.pairs.size(), 1u);
  EXPECT_EQ(table.overlap.rows.size(), 4u);
}

TEST(MethodsOnGpus, NcclsOwnChoiceComesFirstAndForcedOnesNeedThePlugin) {
  const std::vector<Method> own = methods_on_gpus(TunerPlugin::missing);
  EXPECT_EQ(own.size(), 6u);
  for (const Method& method : own) EXPECT_FALSE(method.algorithm);
  const std::vector<Method> all = methods_on_gpus(TunerPlugin::present);
  EXPECT_TRUE(std::equal(own.begin(), own.end(), all.begin()));
  // Rings of 5 kinds by 3 protocols, trees by 3, NVLS of 3 kinds, its trees, PAT of 2, CollNet of 3
  // and 1.
  EXPECT_EQ(all.size(), 6u + 15 + 3 + 3 + 1 + 2 + 3 + 1);
}

TEST(RulesOfAChoice, AreThoseThatThePluginReads) {
  const engine::TunerRules rules = rules_of({0, 2, 4}, {Algorithm::pat, Protocol::simple});
  EXPECT_EQ(engine::rules_text(rules),
            "communicator ranks-0+2x4-pat-simple\n# kind bytes algorithm protocol channels\n"
            "reduce-scatter * pat simple *\nall-gather * pat simple *\n");
  EXPECT_EQ(*engine::parse_rules(engine::rules_text(rules), "file"), rules);
  EXPECT_TRUE(rules_of({0, 1, 2}, {}).rules.empty());
}

// What the built plugin writes is what is read.
TEST(NcclAccount, ReadsWhatTheTunerPluginWroteAsItGrows) {
  using namespace nccl_plugin;
  const TemporaryFolder folder;
  const std::filesystem::path table = folder.path() / "table";
  std::ofstream(folder.path() / "rules")
      << engine::rules_text(rules_of({0, 1, 2}, {Algorithm::ring, Protocol::ll}));
  const engine::test::Variable rules("QUINTET_NCCL_RULES", folder.path() / "rules");
  const engine::test::Variable written("QUINTET_NCCL_TABLE", table);
  const auto& tuner = engine::test::loaded<Tuner>(QUINTET_NCCL_TUNER_BUILT, "ncclTunerPlugin_v5");
  void* context = nullptr;
  ASSERT_EQ(tuner.init(&context, 1, 2, 1, nullptr, nullptr, nullptr), answer_success);
  const auto ask = [&](float of_ll, std::size_t bytes) {
    std::array<std::array<float, protocols>, algorithms> times;
    for (auto& row : times) row.fill(not_available);
    times[1] = {of_ll, not_available, 50};  // rings
    int channels = 0;
    tuner.choose(context, function_all_reduce, bytes, 1, reinterpret_cast<float**>(times.data()),
                 algorithms, protocols, 0, &channels);
  };
  NcclAccount account(table);
  const std::string name = "ranks-0+1x2-ring-ll";
  const NcclChoice ring_by_ll{Algorithm::ring, Protocol::ll};
  EXPECT_EQ(account.could(name, CollectiveKind::all_reduce, ring_by_ll), std::nullopt);
  testing::internal::CaptureStderr();
  ask(not_available, 64);
  ask(16, 1024);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(account.could(name, CollectiveKind::all_reduce, ring_by_ll, 64), false);
  EXPECT_EQ(account.could(name, CollectiveKind::all_reduce, ring_by_ll, 1024), true);
  EXPECT_EQ(account.could(name, CollectiveKind::all_reduce, ring_by_ll), true);
  EXPECT_EQ(account.could(name, CollectiveKind::all_gather, ring_by_ll), std::nullopt);
  EXPECT_EQ(account.could("other", CollectiveKind::all_reduce, ring_by_ll), std::nullopt);
  EXPECT_EQ(account.could(name, CollectiveKind::all_reduce, {Algorithm::nvls, {}}), false);
  tuner.finalize(context);
}

}  // namespace
}  // namespace quintet::calibrate
