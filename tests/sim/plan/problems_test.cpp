// Layer 1: parallelism.
#include "sim/plan/problems/problems.h"

#include "tests/sim/plan/small_world.h"

namespace quintet {
namespace {

TEST(Problems, AreNoneWhenAllFits) {
  expect_found({{"the small world", [](World&) {}, {}}});
}

TEST(Problems, AreAllShownTogether) {
  World world;
  world.plan.parallelism.order = {Axis::tensor};
  world.plan.parallelism.load_balance = LoadBalance::presort_in_host;
  world.plan.network.mtu = 4000;
  EXPECT_EQ(3u, problems(world.plan, world.model, world.topology).size());
}

TEST(Problems, StopAtCountsThatMeanNothing) {
  expect_found({
      {"no ranks and no tokens",
       [](World& world) {
         world.plan.parallelism.tensor = 0;
         world.plan.parallelism.sequence_length = 0;
         world.plan.parallelism.micro_batches = -3;
       },
       {{"parallelism.tensor", "is 0", "use 1 or more"},
        {"parallelism.sequence_length", "is 0", "use 1 or more"},
        {"parallelism.micro_batches", "is -3", "use 1 or more"}}},
  });
}

TEST(Problems, OfDegrees) {
  expect_found({
      {"too few ranks, data could fill the machine",
       [](World& world) { world.plan.parallelism.data = 1; },
       {{"parallelism", "the degrees multiply to 8 ranks, but the machine has 16 places",
         "set parallelism.data to 2, or describe a machine of 8"}}},
      {"a machine that no data degree fills",
       [](World& world) { world.topology = one_host(12); },
       {{"parallelism", "the degrees multiply to 16 ranks, but the machine has 12 places",
         "choose degrees whose product is 12, or describe a machine of 16"}}},
      {"degrees whose product overflows an int",
       [](World& world) {
         world.plan.parallelism.data = 1 << 30;
         world.plan.parallelism.pipeline = 1;
         world.plan.parallelism.context = 1 << 20;
       },
       {{"parallelism",
         "the degrees multiply to 1099511627776 ranks, but the machine has 16 places",
         "choose degrees whose product is 16, or describe a machine of 1099511627776"},
        {"parallelism.context", "context parallelism is not modelled yet", "use 1"}}},
      {"context and expert axes",
       [](World& world) {
         world.plan.parallelism.data = 1;
         world.plan.parallelism.pipeline = 1;
         world.plan.parallelism.context = 2;
         world.plan.parallelism.expert = 2;
       },
       {{"parallelism.context", "context parallelism is not modelled yet", "use 1"},
        {"parallelism.expert", "expert parallelism is not modelled yet", "use 1"}}},
      {"an axis twice",
       [](World& world) { world.plan.parallelism.order[1] = Axis::tensor; },
       {{"parallelism.order", "does not name each of the five axes once",
         "list tensor, context, expert, data and pipeline, innermost first"}}},
  });
}

TEST(Problems, OfWhatTensorParallelismCuts) {
  expect_found({
      {"12 heads over 8",
       [](World& world) {
         world.plan.parallelism.tensor = 8;
         world.plan.parallelism.data = 1;
         world.model.kv_heads = 12;
       },
       {{"parallelism.tensor", "12 attention heads cannot be split over 8 ranks",
         "use 1, 2 or 4, which divide all that is split"},
        {"parallelism.tensor", "12 key/value heads cannot be split over 8 ranks",
         "use 1, 2 or 4, which divide all that is split"}}},
      {"an odd MLP; a vocabulary is padded",
       [](World& world) {
         world.model.feed_forward = 2050;
         world.model.vocabulary = 50257;
       },
       {{"parallelism.tensor", "2050 columns of the MLP cannot be split over 4 ranks",
         "use 1 or 2, which divide all that is split"}}},
  });
}

TEST(Problems, OfTheSequence) {
  expect_found({
      {"sequence parallelism without tensor parallelism",
       [](World& world) {
         world.plan.parallelism.tensor = 1;
         world.plan.parallelism.data = 8;
         world.plan.parallelism.sequence_parallel = true;
       },
       {{"parallelism.sequence_parallel", "needs tensor parallelism to split along",
         "set it to false, or parallelism.tensor above 1"}}},
      {"a sequence that does not split",
       [](World& world) {
         world.plan.parallelism.sequence_parallel = true;
         world.plan.parallelism.sequence_length = 510;
       },
       {{"parallelism.sequence_length",
         "510 tokens cannot be split over 4 ranks for sequence parallelism",
         "use a multiple of 4, or set parallelism.sequence_parallel to false"}}},
      {"longer than the position table",
       [](World& world) {
         world.model.positions = PositionKind::learned;
         world.plan.parallelism.sequence_length = 1025;
       },
       {{"parallelism.sequence_length", "1025 is longer than the model's table of 1024 positions",
         "use 1024 or less"}}},
      {"rotary positions have no table",
       [](World& world) { world.plan.parallelism.sequence_length = 1025; },
       {}},
  });
}

TEST(Problems, OfLayersOverStages) {
  expect_found({
      {"9 layers over 2 stages",
       [](World& world) { world.model.layers = 9; },
       {{"parallelism.pipeline",
         "9 layers do not divide evenly over 2 pieces (pipeline x virtual_stages)",
         "use 1, 3 or 9 pieces, or give the layers of each in parallelism.stage_layers"}}},
      {"9 layers, given",
       [](World& world) {
         world.model.layers = 9;
         world.plan.parallelism.stage_layers = {4, 5};
       },
       {}},
      {"three entries, one empty, wrong sum",
       [](World& world) {
         world.plan.parallelism.stage_layers = {4, 0, 5};
       },
       {{"parallelism.stage_layers", "has 3 entries", "give 2 entries (pipeline x virtual_stages)"},
        {"parallelism.stage_layers", "leaves a piece without a layer",
         "give every piece 1 layer or more"},
        {"parallelism.stage_layers", "adds up to 9 layers, but the model has 8",
         "make the entries add up to 8"}}},
  });
}

// 1f1b alone means something where there is one stage.
TEST(Problems, OfSchedulesThatNeedStages) {
  const auto with = [](PipelineSchedule schedule, std::vector<int> warm_ups = {}) {
    return [schedule, warm_ups](World& world) {
      world.plan.parallelism.schedule = schedule;
      world.plan.parallelism.warm_ups = warm_ups;
      world.plan.parallelism.pipeline = 1;
      world.plan.parallelism.data = 4;
    };
  };
  const auto needs_stages = [](const std::string& name) {
    return std::vector<Problem>{{"parallelism.schedule", name + " needs more than one stage",
                                 "use schedule 1f1b, or parallelism.pipeline above 1"}};
  };
  expect_found({
      {"1f1b", with(PipelineSchedule::one_f_one_b), {}},
      {"gpipe", with(PipelineSchedule::gpipe), needs_stages("gpipe")},
      {"zb-h1", with(PipelineSchedule::zb_h1), needs_stages("zb-h1")},
      {"zb-h2", with(PipelineSchedule::zb_h2), needs_stages("zb-h2")},
      {"warm-up", with(PipelineSchedule::warm_up, {1}), needs_stages("warm-up")},
  });
}

TEST(Problems, OfInterleaving) {
  expect_found({
      {"fits",
       [](World& world) {
         world.plan.parallelism.schedule = PipelineSchedule::interleaved;
         world.plan.parallelism.virtual_stages = 2;
       },
       {}},
      {"virtual stages without it",
       [](World& world) {
         world.plan.parallelism.schedule = PipelineSchedule::zb_h1;
         world.plan.parallelism.virtual_stages = 2;
       },
       {{"parallelism.virtual_stages", "schedule zb-h1 has one piece of the model per stage",
         "use 1, or schedule interleaved"}}},
      {"one stage, one piece",
       [](World& world) {
         world.plan.parallelism.schedule = PipelineSchedule::interleaved;
         world.plan.parallelism.pipeline = 1;
         world.plan.parallelism.data = 4;
       },
       {{"parallelism.schedule", "interleaved needs more than one stage",
         "use schedule 1f1b, or parallelism.pipeline above 1"},
        {"parallelism.virtual_stages", "interleaved with one piece per stage is 1f1b",
         "use 2 or more, or schedule 1f1b"}}},
      {"7 micro-batches over 2 stages",
       [](World& world) {
         world.plan.parallelism.schedule = PipelineSchedule::interleaved;
         world.plan.parallelism.virtual_stages = 2;
         world.plan.parallelism.micro_batches = 7;
       },
       {{"parallelism.micro_batches",
         "7 is not a multiple of the 2 stages, which interleaved needs", "use a multiple of 2"}}},
  });
}

TEST(Problems, OfWarmUpCounts) {
  const auto warm_up = [](std::vector<int> counts) {
    return [counts](World& world) {
      world.plan.parallelism.schedule = PipelineSchedule::warm_up;
      world.plan.parallelism.warm_ups = counts;
    };
  };
  expect_found({
      {"fits", warm_up({3, 1}), {}},
      {"counts without the schedule",
       [](World& world) {
         world.plan.parallelism.warm_ups = {3, 1};
       },
       {{"parallelism.warm_ups", "only schedule warm-up has warm-up counts",
         "leave it out, or use schedule warm-up"}}},
      {"one too many",
       warm_up({5, 3, 1}),
       {{"parallelism.warm_ups", "has 3 entries", "give one per stage, 2"}}},
      {"rising",
       warm_up({1, 3}),
       {{"parallelism.warm_ups", "a later stage warms up longer than an earlier one",
         "let the counts stay or fall from stage to stage"}}},
      {"none on the last stage",
       warm_up({2, 0}),
       {{"parallelism.warm_ups", "a stage without a first forward cannot start", "use 1 or more"}}},
      {"more than there are",
       warm_up({9, 1}),
       {{"parallelism.warm_ups", "counts more forwards than the 8 micro-batches of a step",
         "use 8 or less"}}},
  });
}

// Two stages, 8 micro-batches.
TEST(Problems, OfStageTimes) {
  const StageTimes usual{Seconds{8e-3}, Seconds{10e-3}, Seconds{5e-3}, {}};
  const auto planned = [](std::vector<StageTimes> times, std::vector<int> warm_ups = {}) {
    return [times, warm_ups](World& world) {
      world.plan.parallelism.schedule = PipelineSchedule::adapted;
      world.plan.parallelism.stage_times = times;
      world.plan.parallelism.warm_ups = warm_ups;
    };
  };
  StageTimes late = usual, endless = usual;
  late.delay = Seconds{20e-3};
  endless.forward = Seconds{1e6};
  expect_found({
      {"fits", planned({late, usual}), {}},
      {"fits with warm-ups of its own", planned({late, usual}, {5, 1}), {}},
      {"times without the schedule",
       [usual](World& world) {
         world.plan.parallelism.stage_times = {usual, usual};
       },
       {{"parallelism.stage_times", "only schedule adapted is planned for times",
         "leave it out, or use schedule adapted"}}},
      {"none",
       planned({}),
       {{"parallelism.stage_times", "has 0 entries", "give one per stage, 2"}}},
      {"a delay behind the last stage",
       planned({usual, late}),
       {{"parallelism.stage_times", "the last stage has a delay, but sends nothing on",
         "give it to the stage before the slow link"}}},
      {"years",
       planned({endless, usual}),
       {{"parallelism.stage_times",
         "add up to more than 1000000 s over the micro-batches of a step",
         "use times and delays of real passes, such as 20 ms"}}},
  });
}

TEST(Problems, OfRecomputation) {
  expect_found({
      {"two layers of each stage",
       [](World& world) {
         world.plan.parallelism.recompute = Recompute::full;
         world.plan.parallelism.recompute_layers = 2;
       },
       {}},
      {"layers counted for none, and too many",
       [](World& world) { world.plan.parallelism.recompute_layers = 9; },
       {{"parallelism.recompute_layers", "only recompute full counts layers, not recompute none",
         "use 0, or recompute full"},
        {"parallelism.recompute_layers", "9 of 8 layers",
         "use 0 (all) up to the layers of a stage"}}},
  });
}

TEST(Problems, OfSharding) {
  const auto shard = [](Sharding sharding, int data, int group) {
    return [=](World& world) {
      world.plan.parallelism.sharding = sharding;
      world.plan.parallelism.sharding_group = group;
      world.plan.parallelism.data = data;
      world.plan.parallelism.pipeline = 4 / data;
    };
  };
  expect_found({
      {"pairs of four", shard(Sharding::parameters, 4, 2), {}},
      {"nobody to share with",
       shard(Sharding::optimizer, 1, 0),
       {{"parallelism.sharding", "there is one data-parallel rank: nobody to share with",
         "use none, or parallelism.data above 1"}}},
      {"threes of four",
       shard(Sharding::gradients, 4, 3),
       {{"parallelism.sharding_group", "groups of 3 cannot be made of 4 data-parallel ranks",
         "use 1, 2 or 4, or 0 for all"}}},
      {"groups of what is not shared",
       shard(Sharding::none, 4, 2),
       {{"parallelism.sharding_group", "nothing is sharded",
         "use 0, or choose what parallelism.sharding shares out"}}},
      {"replicators of the papers",
       [shard](World& world) {
         shard(Sharding::parameters, 4, 0)(world);
         world.plan.parallelism.replicator = {ReplicatorKind::demo, 4};
       },
       {{"parallelism.replicator.kind",
         "all 4 data-parallel ranks share one copy: no replicas are left to exchange with",
         "use full with every 1, or a parallelism.sharding_group below parallelism.data"},
        {"parallelism.clipping",
         "what is merged are signs, whose norm says nothing of the gradients",
         "use none or before-reduction, or replicator.sign false"},
        {"parallelism.tensor",
         "demo over shared lines of parameters transforms what all tensor ranks hold together with "
         "what each has of its own",
         "use 1, or sharding none"}}},
      {"what a replicator of one rank would be",
       [shard](World& world) {
         shard(Sharding::none, 1, 0)(world);
         world.plan.parallelism.clipping = Clipping::none;
         world.plan.parallelism.replicator = {ReplicatorKind::random};
       },
       {{"parallelism.replicator.kind",
         "there is one data-parallel rank: no other to exchange with",
         "use full with every 1, or parallelism.data above 1"}}},
      {"more coefficients than a chunk has",
       [shard](World& world) {
         shard(Sharding::optimizer, 4, 2)(world);
         world.plan.parallelism.clipping = Clipping::per_bucket;
         world.plan.parallelism.replicator = {ReplicatorKind::demo, 1, 64, 65};
         world.plan.parallelism.replicator.value_type = DataType::fp16;
       },
       {{"parallelism.replicator.top_k",
         "a chunk of 64 entries of a shared line of parameters has no 65 coefficients",
         "use 64 or less"},
        {"parallelism.replicator.value_type", "replicas do not exchange fp16", "use fp32 or bf16"},
        {"parallelism.clipping",
         "buckets are clipped before a sum of all gradients, which this replicator has not",
         "use none or before-reduction, or replicator.kind full with every 1"},
        {"parallelism.tensor",
         "demo over shared lines of parameters transforms what all tensor ranks hold together with "
         "what each has of its own",
         "use 1, or sharding none"},
        {"parallelism.clipping", "per-bucket clipping needs buckets",
         "set ccl.bucket, for example to \"25 MB\""}}},
  });
}

}  // namespace
}  // namespace quintet
