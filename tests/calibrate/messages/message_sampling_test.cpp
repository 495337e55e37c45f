// Sampling of made-up ranks whose latency, rate and noise are known: what is found of them, what a
// journal saves, what a table then says.
#include "calibrate/messages/message_sampling.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "calibrate/messages/message_results.h"
#include "sim/cost/collective_curve.h"
#include "sim/cost/file/cost_table_file.h"
#include "tests/stand_ins/made_up_ranks.h"
#include "tests/support/shipped.h"
#include "tests/support/temporary_folder.h"

namespace quintet::calibrate {
namespace {

std::vector<RankSeat> four_hosts() {
  return {{0, 0}, {1, 0}, {2, 0}, {3, 0}};
}

ProbeJournal opened(const std::filesystem::path& file) {
  Result<ProbeJournal> journal = ProbeJournal::open(file, "test");
  if (!journal) throw std::runtime_error(journal.error().text());
  return std::move(*journal);
}

MessageSamplingOptions options(const MadeUpRanks& ranks, Seconds time, double target) {
  MessageSamplingOptions made;
  made.at = "here";
  made.time = time;
  made.target = target;
  made.clock = [&ranks] { return ranks.took; };
  return made;
}

CostTable table_of(const MadeUpRanks& ranks, const ProbeJournal& journal) {
  CostTable table;
  table.name = "n";
  table.gpu = "any";
  table.source = "s";
  table.communication.source = "s";
  table.processors =
      ProcessorCosts{4, Bandwidth{1e9}, Seconds{1e-5}, Seconds{1e-4}, Seconds{1e-4}, "s"};
  const MessageWorld world{ranks.seats(), ranks.methods(), "here", "made up", [](const Members&) {
                             return CurveNetwork{Bandwidth{125e6}, Seconds{9e-6}};
                           }};
  add_message_results(world, journal.timings(), table);
  return table;
}

// Every curve that was measured says the truth between its sizes: 3 % off at most in the middle of
// them, with 2 % of noise.
TEST(MessageSampling, FindsLatencyAndRateWithinItsHeldOutError) {
  TemporaryFolder folder;
  ProbeJournal journal = opened(folder.path() / "j");
  MadeUpRanks ranks(four_hosts(), 0.02);
  const MessagesSampled sampled =
      test::required(sample_messages(ranks, journal, options(ranks, Seconds{600}, 0.02)));
  EXPECT_EQ(sampled.end, MessageEnd::target_reached);
  EXPECT_LE(sampled.held_out, 0.02);
  const CostTable table = table_of(ranks, journal);
  ASSERT_EQ(table.communication.curves.size(), 28u);  // 14 methods, 4 and 2 ranks
  std::vector<double> errors;
  for (const CollectiveCurve& curve : table.communication.curves)
    for (double size = 1000; size < 1e7; size *= 1.7) {
      const Members members{0, 1, curve.ranks};
      const Seconds truth = ranks.truth({curve.kind, *curve.algorithm, {}}, members, {size});
      errors.push_back(std::abs(time_along(curve.points, Bytes{size}) / truth - 1));
    }
  std::sort(errors.begin(), errors.end());
  EXPECT_LT(errors[errors.size() / 2], 0.02);
  EXPECT_LT(errors[errors.size() * 9 / 10], 0.06);
}

// Nominal 90 % of what has not been seen. Of n sizes left out the least and the greatest enclose
// (n - 1) / (n + 1): four fifths of nine, which is what a curve has here.
TEST(MessageSampling, ResidualsCoverWhatTheyClaim) {
  TemporaryFolder folder;
  ProbeJournal journal = opened(folder.path() / "j");
  MadeUpRanks ranks(four_hosts(), 0.05);
  ASSERT_TRUE(sample_messages(ranks, journal, options(ranks, Seconds{120}, 0.001)));
  int inside = 0, all = 0;
  for (const CollectiveCurve& curve : table_of(ranks, journal).communication.curves)
    for (double size = 3000; size < 1e6; size *= 2.3, ++all) {
      const CollectiveProbe probe{{curve.kind, *curve.algorithm, {}}, {0, 1, curve.ranks}, {size}};
      std::vector<double> tries;
      for (int number = 0; number < 5; ++number) tries.push_back((**ranks.time(probe, 1)).value);
      const double away = median_of(tries) / time_along(curve.points, Bytes{size}) - 1;
      inside += curve.residuals.p05 <= away && away <= curve.residuals.p95 ? 1 : 0;
    }
  EXPECT_GT(inside, all * 72 / 100);
  EXPECT_GT(all, 100);
}

// The next size is where the curve is least sure: far from all that three samples have shown. (Of
// times without noise it is sure everywhere from the fourth on.)
TEST(MessageSampling, FillsTheWidestGaps) {
  TemporaryFolder folder;
  ProbeJournal journal = opened(folder.path() / "j");
  MadeUpRanks ranks({{0, 0}, {1, 0}}, 0.0);
  std::vector<std::string> order;
  MessageSamplingOptions how = options(ranks, Seconds{600}, 0.0001);
  how.progress = [&](const MessageProgress& progress) { order.push_back(progress.next); };
  ASSERT_TRUE(sample_messages(ranks, journal, how));
  const CurveName ring{Method{}, {0, 1, 2}, true};
  std::vector<double> places;
  for (const std::string& each : order)
    for (const Bytes size : sizes_of(ring))
      if (each == timing_of(ring, size)) places.push_back(std::log2(size.value));
  ASSERT_GE(places.size(), 4u);
  EXPECT_EQ(places[0], 8);   // 256 B
  EXPECT_EQ(places[1], 16);  // 64 KiB
  EXPECT_GT(places[2], 24);  // as much as a quarter of a second moves
  for (std::size_t before = 0; before < 3; ++before)
    EXPECT_GT(std::abs(places[3] - places[before]), 1.9) << places[3];
}

TEST(MessageSampling, StopsWhenTimeIsUpAndSaysWhatIsMissing) {
  TemporaryFolder folder;
  ProbeJournal journal = opened(folder.path() / "j");
  MadeUpRanks ranks(four_hosts(), 0.02);
  const MessagesSampled sampled =
      test::required(sample_messages(ranks, journal, options(ranks, Seconds{6}, 0.02)));
  EXPECT_EQ(sampled.end, MessageEnd::time_up);
  EXPECT_LT(ranks.took.value, 8);
  const CostTable table = table_of(ranks, journal);
  EXPECT_FALSE(table.communication.curves.empty());
  EXPECT_LT(table.communication.curves.size(), 24u);
  EXPECT_NE(table.not_measured.front().find("all-gather by halving-doubling, ranks 0+1x2"),
            std::string::npos)
      << table.not_measured.front();
}

// Goes on where it was, whatever ended it.
TEST(MessageSampling, MeasuresNothingTwiceAfterAnInterruption) {
  TemporaryFolder folder;
  MadeUpRanks broken(four_hosts(), 0.02), whole(four_hosts(), 0.02), rest(four_hosts(), 0.02);
  broken.left = 200;
  broken.wrong = {"rank 3", "is gone"};
  {
    ProbeJournal journal = opened(folder.path() / "j");
    const auto sampled = sample_messages(broken, journal, options(broken, Seconds{600}, 0.02));
    ASSERT_FALSE(sampled);
    EXPECT_EQ(sampled.error().text(), "rank 3: is gone");
  }
  ProbeJournal other = opened(folder.path() / "other");
  ASSERT_TRUE(sample_messages(whole, other, options(whole, Seconds{600}, 0.02)));
  ProbeJournal journal = opened(folder.path() / "j");
  const std::size_t kept = journal.timings().size();
  EXPECT_GT(kept, 20u);
  ASSERT_TRUE(sample_messages(rest, journal, options(rest, Seconds{600}, 0.02)));
  std::set<std::string> names;
  for (const TimingRecord& each : journal.timings()) names.insert(each.what);
  EXPECT_EQ(names.size(), journal.timings().size());
  EXPECT_LT(rest.asked, whole.asked);
  // Timings of another network are of no use here.
  MadeUpRanks elsewhere(four_hosts(), 0.02);
  MessageSamplingOptions there = options(elsewhere, Seconds{600}, 0.02);
  there.at = "there";
  ASSERT_TRUE(sample_messages(elsewhere, journal, there));
  EXPECT_GT(elsewhere.asked, whole.asked / 2);
}

// A process that measures, killed in the middle: what its journal holds is whole, and another one
// goes on from there.
TEST(MessageSampling, GoesOnAfterAKill) {
  TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "j";
  const pid_t child = fork();
  if (child == 0) {
    ProbeJournal journal = opened(file);
    MadeUpRanks ranks(four_hosts(), 0.02);
    MessageSamplingOptions how = options(ranks, Seconds{600}, 0.0);
    how.progress = [](const MessageProgress& progress) {
      if (progress.timings == 40) kill(getpid(), SIGKILL);
    };
    (void)sample_messages(ranks, journal, how);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  ProbeJournal journal = opened(file);
  EXPECT_EQ(journal.timings().size(), 40u);
  MadeUpRanks ranks(four_hosts(), 0.02);
  EXPECT_TRUE(sample_messages(ranks, journal, options(ranks, Seconds{600}, 0.02)));
  EXPECT_GT(journal.timings().size(), 40u);
}

TEST(MessageSampling, MeasuresOneAndTheOtherOfLargeJobsPairs) {
  EXPECT_EQ(pairs_among(4, 64).size(), 6u);
  const std::vector<PairProbe> some = pairs_among(1024, 64);
  EXPECT_LT(some.size(), 1024u * 10 + 1);
  EXPECT_EQ(some[9], (PairProbe{0, 512, {}}));
}

// Pairs, clocks, jitter and overlap come through; a pair three times slower than the others makes
// the residuals of messages wide.
TEST(MessageResults, HoldWhatTheRanksShowed) {
  TemporaryFolder folder;
  ProbeJournal journal = opened(folder.path() / "j");
  MadeUpRanks ranks(four_hosts(), 0.01);
  ranks.slower[{1, 2, 2}] = 3;
  ASSERT_TRUE(sample_messages(ranks, journal, options(ranks, Seconds{600}, 0.02)));
  const CostTable table = table_of(ranks, journal);
  const CommunicationCosts& costs = table.communication;
  ASSERT_EQ(costs.pairs.size(), 6u);
  for (const PairCosts& pair : costs.pairs) {
    const double times = pair.from == 1 && pair.to == 3 ? 3 : 1;
    EXPECT_NEAR(pair.latency.value, times * 20e-6, times * 1e-6);
    EXPECT_NEAR(pair.rate.value, 1e9 / times, 0.03e9 / times);
  }
  ASSERT_EQ(costs.messages.size(), 1u);
  EXPECT_GT(costs.messages[0].residuals.p95, 1.5);
  EXPECT_NEAR(time_along(costs.messages[0].points, Bytes{1e5}).value, 120e-6, 5e-6);
  ASSERT_TRUE(costs.among);
  EXPECT_EQ(costs.among->clock_offset, Seconds{2.0});
  EXPECT_EQ(costs.among->clock_bound, Seconds{3e-6});
  EXPECT_EQ(costs.among->slowest_rank, 2);
  EXPECT_NEAR(costs.among->slowest, 4.0 / 3, 0.01);
  EXPECT_NEAR(costs.among->jitter.p95, 0.0165, 0.004);  // 1.645 deviations of 1 %
  ASSERT_EQ(table.overlap.rows.size(), 4u);
  EXPECT_DOUBLE_EQ(table.overlap.rows[0].compute_slowdown, 1.25);
  EXPECT_DOUBLE_EQ(table.overlap.rows[0].communication_slowdown, 1.5);
}

// Trees are refused: they are asked for once each, also after an interruption, and the table says
// which they are.
TEST(MessageSampling, DoesNotAskAgainForWhatTheRanksDoNotDo) {
  TemporaryFolder folder;
  const auto is_tree = [](const CollectiveProbe& probe) {
    return probe.method.algorithm == Algorithm::tree;
  };
  int asked = 0;
  for (const double seconds : {600.0, 600.0}) {
    ProbeJournal journal = opened(folder.path() / "j");
    MadeUpRanks ranks(four_hosts(), 0.02);
    ranks.refuse = [&](const CollectiveProbe& probe) {
      asked += is_tree(probe) ? 1 : 0;
      return is_tree(probe);
    };
    ASSERT_TRUE(sample_messages(ranks, journal, options(ranks, Seconds{seconds}, 0.02)));
    const CostTable table = table_of(ranks, journal);
    for (const CollectiveCurve& curve : table.communication.curves)
      EXPECT_NE(curve.algorithm, Algorithm::tree);
    const std::string refused = "collectives that these ranks do not do by that algorithm: ";
    EXPECT_TRUE(std::any_of(table.not_measured.begin(), table.not_measured.end(),
                            [&](const std::string& each) {
                              return each.find(refused) != std::string::npos &&
                                     each.find("by tree") != std::string::npos;
                            }));
  }
  const std::vector<CurveName> names = curves_to_measure(four_hosts(), methods_on_processors());
  const auto trees = std::count_if(names.begin(), names.end(), [](const CurveName& name) {
    return name.method && name.method->algorithm == Algorithm::tree;
  });
  EXPECT_EQ(asked, trees);
}

// Small ones vary ten times as much: each is known by its own.
TEST(MessageResults, TellSmallSizesFromLargeOnes) {
  TemporaryFolder folder;
  ProbeJournal journal = opened(folder.path() / "j");
  MadeUpRanks ranks(four_hosts(), 0.01);
  ranks.noise_of_small = 10;
  ASSERT_TRUE(sample_messages(ranks, journal, options(ranks, Seconds{600}, 0.005)));
  const CostTable table = table_of(ranks, journal);
  int known = 0;
  for (const CollectiveCurve& curve : table.communication.curves) {
    const auto& [small, large] = curve.by_size;
    if (small.samples == 0) continue;
    ++known;
    EXPECT_GE(std::min(small.samples, large.samples), 5);
    EXPECT_EQ(small.samples + large.samples, curve.residuals.samples);
    EXPECT_GT(small.p95 - small.p05, large.p95 - large.p05);
  }
  EXPECT_GT(known, 0);
}

TEST(MessageResults, AreWrittenAndReadBack) {
  TemporaryFolder folder;
  ProbeJournal journal = opened(folder.path() / "j");
  MadeUpRanks ranks(four_hosts(), 0.05);
  ASSERT_TRUE(sample_messages(ranks, journal, options(ranks, Seconds{20}, 0.02)));
  const CostTable table = table_of(ranks, journal);
  const std::string text = text_of(table);
  const Result<CostTable> read = parse_cost_table(text, "written");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(*read == table);
  // Half of it, as a disk that was full leaves it.
  const Result<CostTable> half = parse_cost_table(text.substr(0, text.size() / 2), "half.json");
  ASSERT_FALSE(half);
  EXPECT_TRUE(half.error().where.starts_with("half.json")) << half.error().text();
}

// 50 us and 1 GB/s, two of twelve times three times too long.
TEST(FittedLine, IsMovedLittleByAFewThatWereDisturbed) {
  std::vector<CurvePoint> samples;
  for (int place = 0; place < 12; ++place) {
    const double size = 256 * std::exp2(1.5 * place);
    const double disturbed = place == 4 || place == 9 ? 3 : 1;
    samples.push_back({{size}, {disturbed * (50e-6 + size / 1e9)}});
  }
  const LatencyAndRate line = fitted_line(samples);
  EXPECT_NEAR(line.latency.value, 50e-6, 1e-6);
  EXPECT_NEAR(line.rate.value, 1e9, 0.02e9);
  // One size says nothing of the rate; it must not become endless or negative.
  const LatencyAndRate one = fitted_line({{{1e6}, {1e-3}}, {{1e6}, {1e-3}}});
  EXPECT_GT(one.rate.value, 0);
  EXPECT_GT(one.latency.value, 0);
}

// Two hosts of four ranks: all of them, those of a host, and one of each.
TEST(MessageCurves, AreOfGroupsInsideAndAcrossHosts) {
  std::vector<RankSeat> seats;
  for (int rank = 0; rank < 8; ++rank) seats.push_back({rank / 4, rank / 4});
  std::set<Members> groups;
  int hierarchical = 0, messages = 0;
  for (const CurveName& name : curves_to_measure(seats, methods_on_processors())) {
    if (!name.method) {
      ++messages;
      continue;
    }
    groups.insert(name.members);
    hierarchical += name.method->algorithm == Algorithm::hierarchical ? 1 : 0;
  }
  EXPECT_EQ(groups, (std::set<Members>{{0, 1, 8}, {0, 1, 4}, {0, 1, 2}, {0, 4, 2}}));
  EXPECT_EQ(hierarchical, 1);  // the others have one level
  EXPECT_EQ(messages, 2);      // inside a host, and between two
  // Ranks that no pattern orders are measured all together.
  const std::vector<RankSeat> odd{{0, 0}, {1, 1}, {0, 0}};
  for (const CurveName& name : curves_to_measure(odd, methods_on_processors())) {
    if (name.method) {
      EXPECT_EQ(name.members, (Members{0, 1, 3}));
    }
  }
}

}  // namespace
}  // namespace quintet::calibrate
