// Numbers, and layers 2 to 5.
#include <limits>
#include <numeric>

#include "sim/plan/problems/problems.h"
#include "tests/sim/plan/small_world.h"

namespace quintet {
namespace {

TEST(Problems, OfElementTypes) {
  expect_found({
      {"fp8 where there is a rate",
       [](World& world) { world.plan.parallelism.compute_type = DataType::fp8; },
       {}},
      {"every recipe of fp8",
       [](World& world) {
         world.plan.parallelism.compute_type = DataType::fp8;
         world.plan.parallelism.float8 = {Float8Scaling::delayed, 16, 1};
       },
       {}},
      {"a recipe of fp8 for another type",
       [](World& world) { world.plan.parallelism.float8.scaling = Float8Scaling::block; },
       {{"parallelism.fp8", "products are in bf16",
         "leave it out, or set parallelism.compute_type to fp8"}}},
      {"a margin over what is not looked back at",
       [](World& world) {
         world.plan.parallelism.compute_type = DataType::fp8;
         world.plan.parallelism.float8 = {Float8Scaling::block, 1024, 1};
       },
       {{"parallelism.fp8.history",
         "block scaling looks at no steps before: it has no history and no margin",
         "leave history and margin out, or set parallelism.fp8.scaling to delayed"}}},
      {"fp16 where there is none",
       [](World& world) { world.plan.parallelism.compute_type = DataType::fp16; },
       {{"parallelism.compute_type", "H100 has no peak rate for fp16", "use one of bf16, fp8"}}},
      {"hosts without GPUs have no rates to miss",
       [](World& world) {
         world.plan.parallelism.compute_type = DataType::fp32;
         world.topology.gpu_spec_of_host = {-1};
       },
       {}},
      {"integers",
       [](World& world) {
         world.plan.parallelism.compute_type = DataType::int8;
         world.plan.parallelism.gradient_type = DataType::fp8;
       },
       {{"parallelism.compute_type", "int8 has no gradients", "use bf16, fp16 or fp32"},
        {"parallelism.gradient_type", "gradients are not accumulated and reduced in fp8",
         "use fp32, bf16 or fp16"}}},
  });
}

TEST(Problems, OfAWholeRun) {
  expect_found({
      {"all that may be",
       [](World& world) {
         world.plan.run = {.start_up = Seconds{3}, .batch = 7, .evaluation = {100, 10}};
         world.plan.run.checkpoints = {10, Bytes{}, Bandwidth{1e9}};
       },
       {}},
      {"evaluations of nothing",
       [](World& world) { world.plan.run.evaluation.every = 100; },
       {{"run.evaluation.samples", "an evaluation of no samples",
         "give the samples of one evaluation, or leave every out"}}},
      {"evaluations that never happen",
       [](World& world) { world.plan.run.evaluation.samples = 100; },
       {{"run.evaluation.every", "evaluations never happen",
         "give the samples between two evaluations, or leave samples out"}}},
      {"checkpoints to nowhere",
       [](World& world) { world.plan.run.checkpoints.every = 10; },
       {{"run.checkpoints.rate", "nothing says how fast checkpoints are written",
         "give the storage's rate, for example \"10 GB/s\", or leave every out"}}},
      {"checkpoints that are never written",
       [](World& world) { world.plan.run.checkpoints.rate = Bandwidth{1e9}; },
       {{"run.checkpoints.every", "checkpoints are never written",
         "give the steps between two, or leave rate and size out"}}},
  });
}

TEST(Problems, OfMomentsAndOffload) {
  expect_found({
      {"all that may be",
       [](World& world) {
         world.plan.parallelism.moment_type = DataType::bf16;
         world.plan.parallelism.recompute = Recompute::full;
         world.plan.parallelism.offload = {.optimizer = 0.5, .activations = true};
       },
       {}},
      {"moments in integers",
       [](World& world) { world.plan.parallelism.moment_type = DataType::int8; },
       {{"parallelism.moment_type", "moments are not kept in int8", "use fp32 or bf16"}}},
      {"lamb",
       [](World& world) {
         world.plan.parallelism.optimizer = Optimizer::lamb;
         world.plan.parallelism.moment_type = DataType::bf16;
         world.plan.parallelism.offload.optimizer = 1;
       },
       {{"parallelism.moment_type", "only adamw keeps its moments in bf16, not lamb",
         "use fp32, or optimizer adamw"},
        {"parallelism.offload.optimizer",
         "lamb measures all directions before it takes a step: its state would have to come twice",
         "use 0, or optimizer adamw or sgd"}}},
      {"no number, and no piece",
       [](World& world) {
         world.plan.parallelism.offload.optimizer = std::numeric_limits<double>::quiet_NaN();
         world.plan.parallelism.offload.piece = Bytes{100};
       },
       {{"parallelism.offload.optimizer", "is not a share of the optimizer's state",
         "use a number from 0 (none) to 1 (all)"},
        {"parallelism.offload.piece", "\"100 B\" is too little for a copy",
         "use \"4 KiB\" or more"}}},
      {"all that a layer computed",
       [](World& world) { world.plan.parallelism.offload.activations = true; },
       {{"parallelism.offload.activations",
         "recompute none keeps more of a layer than PCIe carries while it computes; only the one "
         "input that recompute full keeps is offloaded",
         "use recompute full, or false"}}},
      {"some layers recomputed",
       [](World& world) {
         world.plan.parallelism.recompute = Recompute::full;
         world.plan.parallelism.recompute_layers = 2;
         world.plan.parallelism.offload.activations = true;
       },
       {{"parallelism.offload.activations",
         "layers beyond the first 2 keep all they computed, which is not offloaded",
         "use recompute_layers 0 (all), or false"}}},
  });
}

TEST(Problems, OfClippingAndLoadBalance) {
  expect_found({
      {"per bucket, with buckets",
       [](World& world) {
         world.plan.parallelism.clipping = Clipping::per_bucket;
         world.plan.ccl.bucket = Bytes{25e6};
       },
       {}},
      {"per bucket, without",
       [](World& world) { world.plan.parallelism.clipping = Clipping::per_bucket; },
       {{"parallelism.clipping", "per-bucket clipping needs buckets",
         "set ccl.bucket, for example to \"25 MB\""}}},
      {"per bucket, of shared gradients that leave together",
       [](World& world) {
         world.plan.parallelism.clipping = Clipping::per_bucket;
         world.plan.parallelism.sharding = Sharding::gradients;
         world.plan.parallelism.micro_batches = 4;
         world.plan.ccl.bucket = Bytes{25e6};
         world.plan.ccl.overlap_gradients = false;
       },
       {{"ccl.overlap_gradients",
         "found false: per-bucket clipping of shared gradients is of each micro-batch, "
         "and here the buckets of all leave together",
         "use true, or parallelism.sharding none or optimizer"}}},
      {"presorting of what has one length",
       [](World& world) { world.plan.parallelism.load_balance = LoadBalance::presort_in_host; },
       {{"parallelism.load_balance", "presort-in-host deals samples by length, and all have one",
         "set parallelism.samples.lengths, or use none"}}},
  });
}

TEST(Problems, OfCollectiveRules) {
  const auto rule = [](CollectiveRule each) {
    return [each](World& world) { world.plan.ccl.rules = {{}, each}; };
  };
  using enum Algorithm;
  using enum CollectiveKind;
  expect_found({
      {"ring for all", rule({.algorithm = ring}), {}},
      {"nvls where it works", rule({.kind = all_reduce, .algorithm = nvls}), {}},
      {"a tree for all-to-all",
       rule({.kind = all_to_all, .algorithm = tree}),
       {{"ccl.rules[1].algorithm", "tree does not do all-to-all", "use one of direct"}}},
      {"a tree for all-gather",
       rule({.kind = all_gather, .algorithm = tree}),
       {{"ccl.rules[1].algorithm", "tree does not do all-gather",
         "use one of ring, collnet-direct, nvls, pat, halving-doubling, direct, hierarchical, "
         "multi-ring"}}},
      {"pat where it works", rule({.kind = reduce_scatter, .algorithm = pat}), {}},
      {"pat for all-reduce",
       rule({.kind = all_reduce, .algorithm = pat}),
       {{"ccl.rules[1].algorithm", "pat does not do all-reduce",
         "use one of tree, ring, collnet-direct, collnet-chain, nvls, nvls-tree, "
         "halving-doubling, direct, hierarchical, multi-ring, in-network, parameter-server, "
         "byteps"}}},
      {"switches that do not add",
       rule({.algorithm = in_network}),
       {{"ccl.rules[1].algorithm",
         "in-network needs a network whose switches add what passes through them",
         "use ring, or a machine with network.in_network_reduction"}}},
      {"switches that do",
       [&](World& world) {
         world.topology.network.reduces = true;
         rule({.algorithm = in_network})(world);
       },
       {}},
      {"servers where there are none",
       rule({.algorithm = byteps}),
       {{"ccl.rules[1].algorithm",
         "byteps needs hosts without places for ranks that add, and the machine has none",
         "use ring, or a machine with such hosts (host_groups; cpu hosts of 0 slots)"}}},
      {"pat in LL128",
       rule({.algorithm = pat, .protocol = Protocol::ll128}),
       {{"ccl.rules[1].protocol", "pat does not speak ll128", "use simple, or one of tree, ring"}}},
      {"pat in LL for all-gather, which trees do not do",
       rule({.kind = all_gather, .algorithm = pat, .protocol = Protocol::ll}),
       {{"ccl.rules[1].protocol", "pat does not speak ll", "use simple, or one of ring"}}},
      {"nvls in LL",
       rule({.algorithm = nvls, .protocol = Protocol::ll}),
       {{"ccl.rules[1].protocol", "nvls does not speak ll", "use simple, or one of tree, ring"}}},
      {"no channels, no collective",
       rule({.axis = Axis::pipeline, .channels = 0}),
       {{"ccl.rules[1].channels", "is 0", "use 1 or more"},
        {"ccl.rules[1].axis", "stages send and receive: there is no collective to rule",
         "name another axis, or leave it out for all"}}},
      {"nvls on A100",
       [](World& world) {
         world.topology.gpu_specs[0].sm_version = 80;
         world.plan.ccl.rules = {{.algorithm = nvls}};
       },
       {{"ccl.rules[0].algorithm",
         "nvls needs NVSwitches and GPUs of compute capability 9.0 or later", "use ring or tree"}}},
      {"nvls without a switch",
       [](World& world) {
         world.topology.devices.pop_back();
         world.plan.ccl.rules = {{.algorithm = nvls_tree}};
       },
       {{"ccl.rules[0].algorithm",
         "nvls-tree needs NVSwitches and GPUs of compute capability 9.0 or later",
         "use ring or tree"}}},
  });
}

TEST(Problems, OfBucketsAndOverlap) {
  const auto bucket = [](double bytes) {
    return [=](World& world) { world.plan.ccl.bucket = Bytes{bytes}; };
  };
  const Problem no_size{"ccl.bucket", "is not a size", "use 0 B (one bucket) or more"};
  expect_found({
      {"negative", bucket(-1.0), {no_size}},
      {"not a number", bucket(std::numeric_limits<double>::quiet_NaN()), {no_size}},
      {"tensor overlap",
       [](World& world) { world.plan.ccl.overlap_tensor = true; },
       {{"ccl.overlap_tensor", "tensor collectives in pieces under their GEMM are not modelled yet",
         "set it to false"}}},
  });
}

// 2^18 passes over 8 layers are 32,768 micro-batches.
TEST(Problems, OfStepsTooLargeToWalkThrough) {
  const auto micro_batches = [](int count) {
    return [=](World& world) { world.plan.parallelism.micro_batches = count; };
  };
  expect_found({
      {"as many as can be", micro_batches(32768), {}},
      {"a million",
       micro_batches(1'000'000),
       {{"parallelism.micro_batches",
         "1000000 micro-batches of 8 layers are more than 262144 passes of a layer",
         "use 32768 or less, for example with a larger parallelism.micro_batch"}}},
  });
}

// Embedding and head 2 x 32000 x 768; 8 layers of 768 x 768 x (2 + 2/3) in attention, 3 x 768 x
// 2048 in the MLP and 2 x 768 in norms; a last norm of 768: 99,496,704 parameters. A rank has 1/8
// of them, in fp32 49,748,352 B, which are 2^16 buckets of 759.1 B.
TEST(Problems, OfBucketsTooSmallToWalkThrough) {
  const auto bucket = [](double bytes) {
    return [=](World& world) { world.plan.ccl.bucket = Bytes{bytes}; };
  };
  expect_found({
      {"as small as can be", bucket(760), {}},
      {"less than a byte",
       bucket(1e-3),
       {{"ccl.bucket",
         "\"0.001 B\" cuts the 49.748352 MB of a rank's gradients into more than 65536 buckets",
         "use 0 B (one bucket), or \"760 B\" or more"}}},
  });
}

TEST(Problems, OfPlacementAndDecomposition) {
  const Problem misplaced{"intra_inter.placement",
                          "does not give each of the 16 ranks a place of its own",
                          "list every number from 0 to 15 once, or leave it out"};
  const auto place = [](int ranks, int repeated) {
    return [=](World& world) {
      std::vector<int>& placement = world.plan.intra_inter.placement;
      placement.resize(static_cast<std::size_t>(ranks));
      std::iota(placement.rbegin(), placement.rend(), 0);
      placement.front() -= repeated;
    };
  };
  expect_found({
      {"back to front", place(16, 0), {}},
      {"too short", place(15, 0), {misplaced}},
      {"14 twice", place(16, 1), {misplaced}},
      {"an axis decided twice, and one without collectives",
       [](World& world) {
         world.plan.intra_inter.decompositions = {{Axis::data, Decomposition::hierarchical},
                                                  {Axis::data, Decomposition::flat},
                                                  {Axis::pipeline, Decomposition::flat}};
       },
       {{"intra_inter.decompositions[1].axis", "data is decided twice", "keep one"},
        {"intra_inter.decompositions[2].axis",
         "stages send and receive: there is no collective to decompose", "leave pipeline out"}}},
  });
}

TEST(Problems, OfDelegatesAndQueuePairs) {
  const auto delegates = [](int count, Delivery delivery) {
    return [=](World& world) {
      world.plan.host_net.pipeline_delivery = delivery;
      world.plan.host_net.delegates = count;
    };
  };
  expect_found({
      {"four for eight", delegates(4, Delivery::delegated), {}},
      {"three for eight",
       delegates(3, Delivery::delegated),
       {{"host_net.delegates", "8 micro-batches cannot be dealt evenly to 3 delegates",
         "use 1, 2, 4 or 8"}}},
      {"none",
       delegates(0, Delivery::delegated),
       {{"host_net.delegates", "delegated delivery has nobody to delegate to",
         "use 1 or more, or delivery direct or staged"}}},
      {"nothing to do",
       delegates(3, Delivery::staged),
       {{"host_net.delegates", "only delegated delivery has delegates",
         "use 1, or delivery or pipeline_delivery delegated"}}},
      {"no queue pair",
       [](World& world) { world.plan.host_net.queue_pairs = 0; },
       {{"host_net.queue_pairs", "is 0", "use 1 or more"}}},
  });
}

TEST(Problems, OfPacketsAndSpraying) {
  const auto spray = [](double efficiency) {
    return [=](World& world) { world.plan.network.spray_efficiency = efficiency; };
  };
  const Problem no_share{"network.spray_efficiency", "is not a share of the bundle",
                         "use a number above 0 and up to 1"};
  expect_found({
      {"jumbo packets over RDMA",
       [](World& world) { world.plan.network.mtu = 9000; },
       {{"network.mtu", "9000 B is no MTU of RDMA", "use 256, 512, 1024, 2048 or 4096 B"}}},
      {"jumbo packets over TCP",
       [](World& world) {
         world.topology.protocol = NetworkProtocol::tcp;
         world.plan.network.mtu = 9000;
       },
       {}},
      {"crumbs over TCP",
       [](World& world) {
         world.topology.protocol = NetworkProtocol::tcp;
         world.plan.network.mtu = 100;
       },
       {{"network.mtu", "100 B is no TCP segment", "use 536 B to 9216 B"}}},
      {"0", spray(0.0), {no_share}},
      {"1", spray(1.0), {}},
      {"more than 1", spray(1.01), {no_share}},
      {"not a number", spray(std::numeric_limits<double>::quiet_NaN()), {no_share}},
  });
}

}  // namespace
}  // namespace quintet
