// Runs on documents of unequal length with a GPU's memory and streams, over NCCL: the samples that
// a rank has, and how many tokens, are others in every step, and known only when they were dealt.
#include <gtest/gtest.h>

#include "tests/engine/train/nccl_run.h"
#include "tests/engine/train/sampled_run.h"

namespace quintet::engine::test {
namespace {

Steps on_nccl(const std::string& model, const std::string& layout, const std::string& draw,
              const std::string& load_balance, std::uint64_t seed) {
  SampledRun sampled(model, layout, draw, load_balance, R"(, "host_net": {"launch": "graphs"})");
  const std::optional<Error> error = NcclRun(sampled.run(), seed).train();
  return sampled.steps(error);
}

TEST(SamplesOverNccl, HaveTheLossOfTheHost) {
  std::uint64_t seed = 300;
  for (const char* const model : {gpt, bert})
    for (const char* const draw : {at_random, by_bins})
      for (const char* const dealt : {"none", "presort-in-host", "presort-globally"}) {
        SCOPED_TRACE(std::string(model).substr(0, 24) + draw + dealt);
        expect_alike(steps_of(model, four, draw, dealt),
                     on_nccl(model, four, draw, dealt, seed += 10));
      }
}

TEST(SamplesOverNccl, HaveItWithSharesOfTheWeights) {
  const std::string shared = std::string(four) + R"(, "sharding": "parameters")";
  expect_alike(steps_of(gpt, single, by_bins, "none"),
               on_nccl(gpt, shared, by_bins, "presort-in-host", 700));
}

}  // namespace
}  // namespace quintet::engine::test
