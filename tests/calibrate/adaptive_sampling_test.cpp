// Adaptive sampling of a machine whose times are known functions, with noise and outliers.
#include "calibrate/probes/adaptive_sampling.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <set>

#include "tests/support/shipped.h"
#include "tests/support/temporary_folder.h"

namespace quintet::calibrate {
namespace {

using namespace literals;

// A start, a rate that small products do not reach, and rows beyond a cache that move more slowly.
Seconds truth(const PricedOperator& work) {
  const double amount = natural_work(work);
  if (std::holds_alternative<MemoryShape>(work.shape))
    return Seconds{2e-6 + amount / (amount < 1e6 ? 2e10 : 8e9)};
  const std::vector<double> sizes = sizes_of(work);
  return Seconds{5e-6 + amount / 3e10 * (1 + 20 / sizes[0]) * (1 + 40 / sizes[1])};
}

class Machine {
 public:
  Machine(double noise, double outliers) : noise_(0, noise), outlier_(outliers) {}

  Result<ProbeRecord> operator()(const Candidate& candidate, const ProbeSteps& steps) {
    ++probes;
    ProbeRecord record;
    record.probe = candidate.probe.name;
    const bool disturbed = outlier_(random_);
    for (const CountedOperator& each : candidate.operators) {
      if (natural_work(each.work) <= 0) continue;
      const Seconds time = truth(each.work) * (std::exp(noise_(random_)) * (disturbed ? 1.6 : 1));
      record.operators.push_back({each.work, time, steps.steps});
      took += time * static_cast<double>(each.count * (steps.steps + steps.warm_up));
    }
    record.staging = {{"all-reduce gradients", Bandwidth{4e9}}};
    record.step = 1_s;
    return record;
  }

  int probes = 0;
  Seconds took;

 private:
  std::mt19937 random_{11};
  std::normal_distribution<double> noise_;
  std::bernoulli_distribution outlier_;
};

ProbeJournal opened(const std::filesystem::path& file) {
  Result<ProbeJournal> journal = ProbeJournal::open(file, "test");
  if (!journal) throw std::runtime_error(journal.error().text());
  return std::move(*journal);
}

ProbeRange range() {
  ProbeRange made;
  made.models = {test::shipped_model("tiny-gpt")};
  made.ranks = 4;
  made.largest = 384;
  made.tokens = 512;
  return made;
}

std::vector<Candidate> candidates() {
  return test::required(probe_candidates(range(), test::shipped_topology("ethernet-cpu-4")));
}

SamplingOptions options(const Machine& machine, double target) {
  SamplingOptions made;
  made.target = target;
  made.time = 1000_s;
  made.cores = 2;
  made.clock = [&machine] { return machine.took; };
  return made;
}

Prober prober_of(Machine& machine) {
  return [&machine](const Candidate& candidate, const ProbeSteps& steps) {
    return machine(candidate, steps);
  };
}

// What a prediction would be wrong by: every operator of every candidate, by weight.
double true_error(const Sampled& sampled, const std::vector<Candidate>& all) {
  double wrong = 0, whole = 0;
  for (const Candidate& candidate : all)
    for (const CountedOperator& each : candidate.operators) {
      if (natural_work(each.work) <= 0) continue;
      const double real = truth(each.work).value * each.count;
      wrong += std::abs(sampled.knowledge.time(each.work)->value * each.count - real);
      whole += real;
    }
  return wrong / whole;
}

TEST(ProbeCandidates, SpanWidthsFormsAndMicroBatches) {
  const std::vector<Candidate> all = candidates();
  std::set<std::string> forms, names;
  std::set<int> widths;
  for (const Candidate& each : all) {
    forms.insert(each.probe.form);
    names.insert(each.probe.name);
    widths.insert(each.probe.model.hidden);
  }
  // 4 ranks: data 4 in three shardings, tensor 2 x data 2, tensor 4; with two stages data 2,
  // tensor 2: 7 forms.
  EXPECT_EQ(forms.size(), 7u);
  EXPECT_EQ(names.size(), all.size());
  EXPECT_TRUE(widths.contains(64) && widths.contains(384));
}

// One rank on one GPU: tiny-gpt in bf16 and fp32, attention fused and not, which makes four forms;
// lengths and micro-batches are what varies beside the width.
TEST(ProbeCandidates, OfOneGpuCoverSizesByWidthsLengthsAndMicroBatches) {
  ProbeRange one = range();
  one.ranks = 1;
  one.types = {DataType::bf16, DataType::fp32};
  one.processor = Processor::gpu;
  const std::vector<Candidate> all =
      test::required(probe_candidates(one, test::shipped_topology("h200-1")));
  std::set<std::string> forms;
  std::set<int> widths, lengths, batches;
  for (const Candidate& each : all) {
    const Parallelism& parallelism = each.probe.plan.parallelism;
    EXPECT_EQ(world_size(parallelism), 1);
    EXPECT_EQ(each.probe.plan.host_net.launch, Launch::graphs);
    forms.insert(each.probe.form);
    widths.insert(each.probe.model.hidden);
    lengths.insert(parallelism.sequence_length);
    batches.insert(parallelism.micro_batch);
  }
  EXPECT_EQ(forms.size(), 4u);
  EXPECT_TRUE(widths.contains(64) && widths.contains(384));
  EXPECT_EQ(lengths, (std::set<int>{64, 128}));
  EXPECT_EQ(batches, (std::set<int>{1, 2, 4, 8}));  // 128 to 512 tokens
}

TEST(AdaptiveSampling, ReachesItsTargetWithFewerProbesThanAGridAndTellsTheTrueError) {
  const TemporaryFolder folder;
  Machine machine(0.02, 0);
  const std::vector<Candidate> all = candidates();
  ProbeJournal journal = opened(folder.path() / "j");
  const Sampled sampled =
      test::required(sample_operators(all, prober_of(machine), journal, options(machine, 0.02)));
  EXPECT_EQ(sampled.end, SamplingEnd::target_reached);
  EXPECT_LE(sampled.held_out, 0.02);
  EXPECT_LT(machine.probes, static_cast<int>(all.size()) / 2);
  // Left-out samples carry the noise of 2 % themselves, whose median is 1.3 %.
  EXPECT_NEAR(true_error(sampled, all), sampled.held_out, 0.015);
  EXPECT_EQ(sampled.staging, (std::vector<StagingCosts>{{"all-reduce gradients", Bandwidth{4e9}}}));
}

// A tenth of all probes run beside something that makes them 1.6 times as long: they are measured
// again, and the median of three does not see it.
TEST(AdaptiveSampling, MeasuresAgainWhatTheOthersContradict) {
  const TemporaryFolder folder;
  Machine machine(0.01, 0.1);
  const std::vector<Candidate> all = candidates();
  ProbeJournal journal = opened(folder.path() / "j");
  SamplingOptions how = options(machine, 0.0);
  how.clock = [&machine] { return Seconds{machine.probes * 1.0}; };
  how.time = 60_s;
  const Sampled sampled = test::required(sample_operators(all, prober_of(machine), journal, how));
  EXPECT_EQ(sampled.end, SamplingEnd::time_up);
  std::set<std::string> names;
  for (const ProbeRecord& each : journal.records()) names.insert(each.probe);
  EXPECT_LT(names.size(), journal.records().size());
  EXPECT_LT(true_error(sampled, all), 0.06);
}

// The second one measures nothing that the first did: together as many probes as one that was not
// killed, and the same curves. Each has the clock of what it measured itself.
TEST(AdaptiveSampling, GoesOnWhereItWasKilled) {
  const TemporaryFolder folder;
  const std::vector<Candidate> all = candidates();
  constexpr double target = 0.02;
  Machine undisturbed(0, 0), killed(0, 0), resumed(0, 0);
  ProbeJournal whole = opened(folder.path() / "whole");
  const Sampled at_once = test::required(
      sample_operators(all, prober_of(undisturbed), whole, options(undisturbed, target)));
  const Prober dies = [&](const Candidate& candidate,
                          const ProbeSteps& steps) -> Result<ProbeRecord> {
    if (killed.probes == 5) return Error{"kill", "-9"};
    return killed(candidate, steps);
  };
  {
    ProbeJournal journal = opened(folder.path() / "cut");
    EXPECT_FALSE(sample_operators(all, dies, journal, options(killed, target)));
  }
  // What was being written when it was killed.
  std::ofstream(folder.path() / "cut", std::ios::app) << "{\"probe\":\"half";
  ProbeJournal journal = opened(folder.path() / "cut");
  EXPECT_EQ(journal.records().size(), 5u);
  const Sampled after =
      test::required(sample_operators(all, prober_of(resumed), journal, options(resumed, target)));
  EXPECT_EQ(killed.probes + resumed.probes, undisturbed.probes);
  EXPECT_TRUE(after.knowledge.curves() == at_once.knowledge.curves());
}

std::size_t size_of(const std::filesystem::path& file) {
  std::error_code none;
  const auto size = std::filesystem::file_size(file, none);
  return none ? 0 : size;
}

// A process that calibrates, killed in the middle: what its journal holds is whole.
TEST(AdaptiveSampling, AKilledProcessLosesOneProbeAtMost) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "j";
  const std::vector<Candidate> all = candidates();
  Machine machine(0.01, 0);
  SamplingOptions how = options(machine, 0.0);
  how.clock = [] { return Seconds{}; };
  const pid_t process = fork();
  if (process == 0) {
    ProbeJournal journal = opened(file);
    (void)sample_operators(all, prober_of(machine), journal, how);
    _exit(0);
  }
  ASSERT_GT(process, 0);
  constexpr std::size_t several = 30000;  // bytes: a probe has about 5,000
  while (size_of(file) < several) usleep(200);
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
  ProbeJournal journal = opened(file);
  const std::size_t kept = journal.records().size();
  EXPECT_GE(kept, 2u);
  how.clock = [&machine] { return Seconds{machine.probes * 1.0}; };
  how.time = 2_s;
  EXPECT_TRUE(sample_operators(all, prober_of(machine), journal, how));
  EXPECT_GT(journal.records().size(), kept);
}

TEST(ProbeJournal, KeepsWhatAStepOnAGpuHadBesideItsOperators) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "j";
  const ProbeRecord on_gpu{"a", {}, {}, 10_ms, StepMargins{Seconds{1e-6 / 3}, 90_us}};
  const ProbeRecord on_cores{"b", {}, {}, 20_ms};
  {
    ProbeJournal journal = opened(file);
    EXPECT_FALSE(journal.add(on_gpu));
    EXPECT_FALSE(journal.add(on_cores));
  }
  EXPECT_EQ(opened(file).records(), (std::vector<ProbeRecord>{on_gpu, on_cores}));
}

TEST(ProbeJournal, OfOtherConditionsOrDamagedIsRefused) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "j";
  ASSERT_TRUE(ProbeJournal::open(file, "fast kernels"));
  EXPECT_EQ(ProbeJournal::open(file, "onednn kernels").error().text(),
            file.string() +
                ":1: conditions: found \"fast kernels\", this calibration's are \"onednn "
                "kernels\"; name another journal, or remove this one");
  std::ofstream(file, std::ios::app) << "{\"probe\": 3}\n";
  const auto damaged = ProbeJournal::open(file, "fast kernels");
  ASSERT_FALSE(damaged);
  EXPECT_TRUE(damaged.error().text().starts_with(file.string() + ":2: probe"))
      << damaged.error().text();
  std::ofstream(folder.path() / "other") << "my thesis";
  EXPECT_FALSE(ProbeJournal::open(folder.path() / "other", "fast kernels"));
}

}  // namespace
}  // namespace quintet::calibrate
