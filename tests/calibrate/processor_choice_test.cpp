// Whose ranks a topology has, and what is said where they are others.
#include "calibrate/machine/processor_choice.h"

#include <gtest/gtest.h>

#include "tests/support/shipped.h"

namespace quintet::calibrate {
namespace {

TEST(ProcessorChoice, ATopologysRanksMustBeWhatComputes) {
  const Topology cores = test::shipped_topology("box-4-1gbit");
  const Topology gpus = test::shipped_topology("h200-1");
  EXPECT_FALSE(other_ranks(cores, Processor::cpu));
  EXPECT_FALSE(other_ranks(gpus, Processor::gpu));
  EXPECT_EQ(other_ranks(gpus, Processor::cpu)->text(),
            "--topology: one H200 has a rank on host0/gpu0, which is no processor core; with "
            "--device cpu a machine is accepted whose ranks all are, such as box-4-1gbit");
  EXPECT_EQ(other_ranks(cores, Processor::gpu)->text(),
            "--topology: 4 hosts in a box, 1 Gbit/s has a rank on " +
                cores.device(rank_slots(cores).front()).name +
                ", which is no GPU; with --device gpu a machine is accepted whose ranks all are, "
                "such as h200-1");
}

TEST(ProcessorChoice, CoresAreAlwaysThere) {
  EXPECT_FALSE(missing_gpu(Processor::cpu));
}

}  // namespace
}  // namespace quintet::calibrate
