// Which part of a step rests on what.
#include "sim/confidence/provenance.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sim/simulate/predict.h"
#include "tests/support/shipped.h"

namespace quintet::test {
namespace {

struct World {
  Model model = shipped_model("llama-3-8b");
  Topology topology = shipped_topology("dgx-h100-1024", 2);
  CostTable costs = shipped_costs("h100-sxm-80gb");
  Plan plan;

  World() {
    model.layers = 2;
    plan.parallelism = {.tensor = 8, .data = 2, .sequence_length = 4096, .micro_batches = 2};
    for (GemmCosts& gemm : costs.gemm) gemm.evidence = {Evidence::published, Evidence::borrowed};
    for (AttentionCosts& attention : costs.attention)
      attention.evidence = {Evidence::measured, Evidence::measured};
    for (MemoryCosts& memory : costs.memory)
      memory.evidence = {Evidence::guessed, Evidence::guessed};
    for (CollectiveCurve& curve : costs.communication.curves) curve.evidence = Evidence::published;
    costs.communication.evidence = Evidence::guessed;
    costs.communication.between_hosts = Evidence::borrowed;
  }
  Prediction made() const { return required(predict(model, plan, topology, costs)); }
  Provenance basis(const Prediction& made) const {
    return provenance(made.program, made.mean, costs, made.move_bases);
  }
};

const SourceShare* part(const Provenance& basis, StepSource source) {
  for (const SourceShare& each : basis.sources)
    if (each.source == source) return &each;
  return nullptr;
}

double of(const SourceShare& share, Evidence evidence) {
  return share.by_evidence[static_cast<std::size_t>(evidence)];
}

TEST(Provenance, SharesAndWhatFollowsSumToTheStep) {
  const World world;
  const Provenance basis = world.basis(world.made());
  const double known =
      std::accumulate(basis.by_evidence.begin(), basis.by_evidence.end(), basis.follows);
  EXPECT_NEAR(known, 1, 1e-9);
  double parts = 0;
  for (const SourceShare& each : basis.sources) parts += each.share;
  EXPECT_NEAR(parts, 1, 1e-9);
}

TEST(Provenance, OfProductsTellsForwardFromBackward) {
  const World world;
  const Provenance basis = world.basis(world.made());
  const SourceShare* const products = part(basis, StepSource::products);
  ASSERT_NE(products, nullptr);
  EXPECT_EQ(of(*products, Evidence::guessed), 0);
  // Backward is two products for each of forward, about as long.
  EXPECT_NEAR(of(*products, Evidence::borrowed) / of(*products, Evidence::published), 2, 0.2);
  EXPECT_EQ(of(*part(basis, StepSource::attention), Evidence::measured),
            part(basis, StepSource::attention)->share);
  EXPECT_EQ(of(*part(basis, StepSource::memory_bound), Evidence::guessed),
            part(basis, StepSource::memory_bound)->share);
}

// The tensor axis stays inside a host, where the table has curves; data crosses hosts, where NCCL's
// formula is borrowed.
TEST(Provenance, OfCommunicationTellsInsideHostsFromBetweenThem) {
  World world;
  world.plan.ccl.overlap_gradients = false;
  const Provenance basis = world.basis(world.made());
  const SourceShare* const inside = part(basis, StepSource::inside_hosts);
  const SourceShare* const between = part(basis, StepSource::between_hosts);
  ASSERT_NE(inside, nullptr);
  ASSERT_NE(between, nullptr);
  EXPECT_GT(of(*inside, Evidence::published), 0.9 * inside->share);
  // The rest, a thousandth, is the sum of the gradient's norm, of which no table says anything.
  EXPECT_GT(of(*between, Evidence::borrowed), 0.99 * between->share);
}

TEST(Evidence, OfShippedTablesIsSaidOfEveryPart) {
  for (const char* const name :
       {"a100-sxm-40gb", "a100-sxm-80gb", "b200-sxm-180gb", "gb200-sxm-186gb", "gh200-96gb",
        "h100-sxm-80gb", "h100-sxm-96gb", "h200-sxm-141gb", "v100-sxm-32gb"}) {
    const CostTable table = shipped_costs(name);
    for (const GemmCosts& gemm : table.gemm) {
      const bool assumed = gemm.source.starts_with("assumed");
      EXPECT_EQ(gemm.evidence.forward == Evidence::guessed, assumed) << name << gemm.source;
    }
    for (const MemoryCosts& memory : table.memory) {
      const bool published = memory.evidence.forward == Evidence::published;
      EXPECT_FALSE(published && memory.source.starts_with("assumed")) << name << memory.source;
    }
  }
}

// No GEMM of the H200 was published: its table has the H100's.
TEST(Evidence, OfBorrowedProductsIsNotPublished) {
  EXPECT_EQ(shipped_costs("h200-sxm-141gb").gemm.front().evidence.forward, Evidence::borrowed);
  EXPECT_EQ(shipped_costs("h100-sxm-80gb").gemm.front().evidence.forward, Evidence::published);
  EXPECT_EQ(shipped_costs("h200-sxm-141gb").name.find("published kernel"), std::string::npos);
}

}  // namespace
}  // namespace quintet::test
