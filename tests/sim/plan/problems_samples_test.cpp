// Samples of unequal length.
#include "tests/sim/plan/small_world.h"

namespace quintet {
namespace {

// 16 replicas; half of the samples have 100 tokens, half 512.
void vary(World& world) {
  Parallelism& parallelism = world.plan.parallelism;
  parallelism.tensor = parallelism.pipeline = 1;
  parallelism.data = 16;
  parallelism.micro_batch = 4;
  parallelism.micro_batches = 1;
  parallelism.samples.lengths = "h.csv";
  parallelism.samples.histogram.share.assign(512, 0.0);
  parallelism.samples.histogram.share[99] = parallelism.samples.histogram.share[511] = 0.5;
}

std::function<void(World&)> samples(std::function<void(Parallelism&)> change) {
  return [change](World& world) {
    vary(world);
    change(world.plan.parallelism);
  };
}

Problem refused(std::string field, std::string reason, std::string remedy) {
  return {"parallelism." + std::move(field), std::move(reason), std::move(remedy)};
}

TEST(Problems, OfSamplesAreNoneWhereTheyFit) {
  expect_found({
      {"random", vary, {}},
      {"stratified, counts by the histogram",
       samples([](Parallelism& p) { p.samples.draw = SampleDraw::stratified; }),
       {}},
      {"stratified and presorted",
       samples([](Parallelism& p) {
         p.samples.draw = SampleDraw::stratified;
         p.samples.bins = {128, 512};
         p.samples.counts = {2, 2};
         p.load_balance = LoadBalance::presort_in_host;
       }),
       {}},
      {"packed", samples([](Parallelism& p) { p.samples.draw = SampleDraw::packed; }), {}},
      {"presorted by all",
       samples([](Parallelism& p) { p.load_balance = LoadBalance::presort_globally; }),
       {}},
  });
}

TEST(Problems, OfBins) {
  const auto stratified = [](std::vector<int> bins, std::vector<int> counts) {
    return samples([=](Parallelism& p) {
      p.samples.draw = SampleDraw::stratified;
      p.samples.bins = bins;
      p.samples.counts = counts;
    });
  };
  const auto bins = [](const std::string& found) {
    return refused("samples.bins", found + " are no ascending lengths up to sequence_length",
                   "end them with 512, each above the one before");
  };
  expect_found({
      {"descending", stratified({256, 128, 512}, {}), {bins("256, 128, 512")}},
      {"twice the same", stratified({256, 256, 512}, {}), {bins("256, 256, 512")}},
      {"too short", stratified({128, 256}, {}), {bins("128, 256")}},
      {"too long", stratified({128, 1024}, {}), {bins("128, 1024")}},
      {"counts for other bins",
       stratified({128, 512}, {1, 1, 2}),
       {refused("samples.counts", "are 3 for 2 bins", "give one for each bin, or none")}},
      {"counts of another micro-batch",
       stratified({128, 512}, {4, 2}),
       {refused("samples.counts", "add up to 6, and a micro-batch has 4 samples",
                "set parallelism.micro_batch to 6")}},
      {"counts of a bin without samples",
       stratified({128, 256, 512}, {2, 1, 1}),
       {refused("samples.counts[1]", "asks for 1 of 129 to 256 tokens, of which \"h.csv\" has none",
                "use 0 there, or other bins")}},
      {"bins of random draws",
       samples([](Parallelism& p) {
         p.samples.bins = {512};
         p.samples.counts = {4};
       }),
       {refused("samples.bins", "are of stratified draws",
                "leave them out, or set parallelism.samples.draw to stratified"),
        refused("samples.counts", "are of stratified draws",
                "leave them out, or set parallelism.samples.draw to stratified")}},
  });
}

TEST(Problems, OfWhatNeedsSamplesOfOneLength) {
  expect_found({
      {"stages",
       samples([](Parallelism& p) {
         p.data = 8;
         p.pipeline = 2;
       }),
       {refused("samples",
                "samples of unequal length are dealt to replicas, and messages along other axes "
                "have one size",
                "use parallelism.pipeline 1, or leave samples out")}},
      {"unfused attention",
       samples([](Parallelism& p) { p.attention = AttentionChoice::unfused; }),
       {refused("samples", "unfused attention has matrices of one size",
                "use parallelism.attention flash")}},
      {"fp8",
       samples([](Parallelism& p) { p.compute_type = DataType::fp8; }),
       {refused("samples", "operands in fp8 are cast in one size",
                "use parallelism.compute_type bf16")}},
      {"a histogram that nobody read",
       samples([](Parallelism& p) { p.samples.histogram = {}; }),
       {refused("samples.lengths", "\"h.csv\" was not read for this sequence_length",
                "read the plan with its lengths (sim/asked/sample_lengths.h)")}},
  });
}

TEST(Problems, OfPresorting) {
  expect_found({
      {"packed rows",
       samples([](Parallelism& p) {
         p.samples.draw = SampleDraw::packed;
         p.load_balance = LoadBalance::presort_globally;
       }),
       {refused("load_balance", "rows that are packed full have nothing to be presorted by",
                "use none, or parallelism.samples.draw random")}},
      {"hosts of one place",
       [](World& world) {
         vary(world);
         world.plan.parallelism.data = 1;
         world.topology = one_host(1);
         world.plan.parallelism.load_balance = LoadBalance::presort_in_host;
       },
       {refused("load_balance", "hosts of this machine have one place each: nobody to deal with",
                "use presort-globally, or none")}},
  });
}

}  // namespace
}  // namespace quintet
