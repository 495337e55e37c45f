// What compiled programs conserve, whatever the layout.
#include "sim/parallelism/compile.h"

#include <algorithm>
#include <map>
#include <set>

#include "sim/model/step_flops.h"
#include "sim/parallelism/gradient_buckets.h"
#include "sim/parallelism/pipeline_order.h"
#include "sim/parallelism/stage_layers.h"
#include "tests/sim/parallelism/layouts.h"
#include "tests/sim/parallelism/program_sums.h"
#include "tests/support/tiny_model.h"

namespace quintet {
namespace {

using test::Layout;

const std::vector<Layout>& all_layouts() {
  static const std::vector<Layout> layouts = test::layouts();
  return layouts;
}

// Layers of the model that Recompute::full repeats.
int recomputed_layers(const Parallelism& parallelism, const Model& model) {
  int sum = 0;
  const int full = parallelism.recompute_layers;
  for (const auto& stage : stage_chunks(model, parallelism))
    for (const Chunk& chunk : stage) sum += full > 0 ? std::min(full, chunk.layers) : chunk.layers;
  return sum;
}

// model_flops counts each product once forward and twice backward; recomputed parts once more.
// What the kernels do besides:
//   - flash attention's backward does 2.5 times its forward (arXiv 2205.14135 B.4), not twice;
//   - BERT's transform before the head is not split over tensor ranks: each does all of it, unless
//     sequence parallelism gives it a share of the tokens. Its pooler is in neither count.
double expected_flops(const Layout& layout) {
  const Parallelism& p = layout.plan.parallelism;
  const std::int64_t sequences = global_batch(p), length = p.sequence_length;
  const auto counted = [&](RecomputedPart part) {
    return hardware_flops(layout.model, sequences, length, AttentionCount::full, part).value;
  };
  const double model = counted(RecomputedPart::nothing);
  const double attention = counted(RecomputedPart::attention_core) - model;
  const double layers = counted(RecomputedPart::whole_layer) - model;
  const double hidden = layout.model.hidden;
  const bool repeated = layout.model.family == ModelFamily::bert && !p.sequence_parallel;
  double sum = model;
  if (p.recompute == Recompute::selective) sum += attention;
  if (p.recompute == Recompute::full)
    sum += layers / layout.model.layers * recomputed_layers(p, layout.model);
  if (p.attention == AttentionChoice::flash) sum += 0.5 * attention;
  if (repeated)
    sum += 6.0 * static_cast<double>(sequences * length) * hidden * hidden * (p.tensor - 1);
  return sum;
}

// Two ranks: two pieces. A rank's own half of the sequence is multiplied while the other's comes;
// half of the output leaves while the other half is made.
TEST(Compile, RunsTensorCollectivesInPiecesBesideTheirGemms) {
  Plan plan = test::tiny_plan();
  plan.parallelism.sequence_parallel = true;
  plan.parallelism.sequence_length = 8;
  CompileOptions options;
  options.fusion.tensor_overlap = true;
  const Program program = compile(test::tiny_model(), plan, options);
  const auto found = std::find_if(program.bodies.begin(), program.bodies.end(),
                                  [](const Body& body) { return body.name == "layer forward"; });
  ASSERT_NE(found, program.bodies.end());
  std::vector<std::string> mlp;
  for (const Instruction& each : found->instructions) {
    if (each.block != Block::mlp) continue;
    std::string line = each.name;
    if (const auto* compute = std::get_if<Compute>(&each.action))
      if (const auto* gemm = std::get_if<GemmShape>(&compute->work.shape))
        line += " of " + std::to_string(gemm->m);
    for (const int before : each.after)
      line += " after " + found->instructions[static_cast<std::size_t>(before)].name;
    mlp.push_back(line);
  }
  EXPECT_EQ(mlp,
            (std::vector<std::string>{
                "norm forward", "all-gather mlp piece after norm forward", "mlp_up forward of 4",
                "mlp_up forward of 4 after all-gather mlp piece", "mlp_activation forward",
                "mlp_down forward of 4", "reduce-scatter mlp piece after mlp_down forward",
                "mlp_down forward of 4", "reduce-scatter mlp piece after mlp_down forward",
                "residual forward after reduce-scatter mlp piece"}));
}

TEST(Compile, DoesTheModelsFlopsInEveryLayout) {
  ASSERT_GE(all_layouts().size(), 300U);
  for (const Layout& layout : all_layouts())
    EXPECT_EQ(expected_flops(layout), test::flops_of_step(compile(layout.model, layout.plan)))
        << test::text_of(layout);
}

std::int64_t parameters_of_stage(const Layout& layout, int stage) {
  const Parallelism& p = layout.plan.parallelism;
  std::int64_t sum = 0;
  const auto stages = stage_chunks(layout.model, p);
  for (const Chunk& chunk : stages[static_cast<std::size_t>(stage)])
    sum += stage_parameters(layout.model, {p.tensor, 1}, stage_part(chunk));
  return sum;
}

// Each parameter's gradient leaves once a step - once a micro-batch where only shares of gradients
// are kept - and shares of it once more between sharding groups.
TEST(Compile, ExchangesEachGradientExactlyOnce) {
  for (const Layout& layout : all_layouts()) {
    const Parallelism& p = layout.plan.parallelism;
    const Program program = compile(layout.model, layout.plan);
    const bool shared = p.sharding != Sharding::none;
    const bool often = p.sharding == Sharding::gradients || p.sharding == Sharding::parameters;
    const bool hybrid = p.sharding_group > 0;
    for (const Role& role : program.roles) {
      const double once = static_cast<double>(parameters_of_stage(layout, role.stage)) *
                          size_of(p.gradient_type).value;
      const double all = p.data == 1 ? 0.0 : once * (often ? p.micro_batches : 1);
      const char* const group = hybrid ? "shards" : "data";
      EXPECT_EQ(shared ? 0.0 : all,
                test::collective_bytes(program, role, CollectiveKind::all_reduce, group))
          << test::text_of(layout);
      EXPECT_EQ(shared ? all : 0.0,
                test::collective_bytes(program, role, CollectiveKind::reduce_scatter, group))
          << test::text_of(layout);
      EXPECT_EQ(hybrid ? all / p.sharding_group : 0.0,
                test::collective_bytes(program, role, CollectiveKind::all_reduce, "replicas"))
          << test::text_of(layout);
    }
  }
}

// Buckets hold every parameter of the model once; a tied embedding on two stages is there twice.
TEST(Compile, PutsEveryParameterInOneBucket) {
  for (const Layout& layout : all_layouts()) {
    const Parallelism& p = layout.plan.parallelism;
    const ParameterSplit split{p.tensor, 1};
    std::int64_t sum = 0;
    for (const auto& stage : stage_chunks(layout.model, p))
      for (const Chunk& chunk : stage)
        for (const Bucket& bucket : gradient_buckets(layout.model, split, chunk,
                                                     layout.plan.ccl.bucket, p.gradient_type)) {
          sum += bucket.parameters;
          EXPECT_EQ(bucket.parameters, bucket.piece() * (bucket.pieces - 1) + bucket.last_piece());
        }
    const bool twice = layout.model.tied_embeddings && p.pipeline > 1;
    const std::int64_t copy = twice ? embedding_parameters(layout.model, split).tokens : 0;
    EXPECT_EQ(total_parameters(layout.model, split) + copy, sum) << test::text_of(layout);
  }
}

// Calls say which of the stage's parameters they sum: as many as their collective moves; every one
// of them once a step, once a micro-batch where only shares of gradients are kept.
TEST(Compile, SaysWhichParametersEachExchangeSums) {
  for (const Layout& layout : all_layouts()) {
    const Parallelism& p = layout.plan.parallelism;
    if (p.data == 1) continue;
    const bool often = p.sharding == Sharding::gradients || p.sharding == Sharding::parameters;
    const Program program = compile(layout.model, layout.plan);
    for (const Role& role : program.roles) {
      std::vector<std::pair<std::int64_t, std::int64_t>> summed;
      for (const Call& call : role.script.calls) {
        const Body& body = program.bodies[call.body.index()];
        if (body.kind != BodyKind::sum_gradients) continue;
        for (int iteration = 0; iteration < call.layers; ++iteration) {
          const ElementRange range = elements_of(call, iteration).front();
          EXPECT_EQ(communicated(body.instructions.front()),
                    static_cast<double>(range.count()) * size_of(p.gradient_type));
          summed.emplace_back(range.begin, range.end);
        }
      }
      std::sort(summed.begin(), summed.end());
      const std::size_t times = often ? static_cast<std::size_t>(p.micro_batches) : 1;
      std::int64_t reached = 0;
      for (std::size_t place = 0; place < summed.size(); place += times) {
        EXPECT_EQ(reached, summed[place].first) << test::text_of(layout);
        EXPECT_EQ(summed[place], summed[place + times - 1]) << test::text_of(layout);
        reached = summed[place].second;
      }
      EXPECT_EQ(parameters_of_stage(layout, role.stage), reached) << test::text_of(layout);
    }
  }
}

// Gathers likewise: after an update all of the stage's parameters, FSDP a layer where the stage's
// order puts it and then the ends.
TEST(Compile, SaysWhichParametersEachGatherPutsTogether) {
  for (const Layout& layout : all_layouts()) {
    const Parallelism& p = layout.plan.parallelism;
    const Program program = compile(layout.model, layout.plan);
    for (const Role& role : program.roles) {
      std::set<std::pair<std::int64_t, std::int64_t>> gathered;
      for (const Call& call : role.script.calls) {
        const Body& body = program.bodies[call.body.index()];
        if (body.kind != BodyKind::gather_weights) continue;
        for (int iteration = 0; iteration < call.layers; ++iteration) {
          std::int64_t count = 0;
          for (const ElementRange& range : elements_of(call, iteration)) {
            count += range.count();
            if (range.count() > 0) gathered.emplace(range.begin, range.end);
          }
          EXPECT_EQ(communicated(body.instructions.front()),
                    static_cast<double>(count) * size_of(p.compute_type));
        }
      }
      if (gathered.empty()) continue;
      std::int64_t reached = 0;
      for (const auto& [begin, end] : gathered) {
        EXPECT_EQ(reached, begin) << test::text_of(layout);
        reached = end;
      }
      EXPECT_EQ(parameters_of_stage(layout, role.stage), reached) << test::text_of(layout);
    }
  }
}

// Shares of updated weights: put together once a step. FSDP: each layer before its forward and
// before its backward, in every micro-batch; embedding and head once per micro-batch.
TEST(Compile, GathersShardedWeightsAsOftenAsTheyAreUsed) {
  for (const Layout& layout : all_layouts()) {
    const Parallelism& p = layout.plan.parallelism;
    if (p.sharding == Sharding::none) continue;
    const Program program = compile(layout.model, layout.plan);
    const char* const group = p.sharding_group > 0 ? "shards" : "data";
    const auto stages = stage_chunks(layout.model, p);
    for (const Role& role : program.roles) {
      std::int64_t layers = 0, ends = 0;
      for (const Chunk& chunk : stages[static_cast<std::size_t>(role.stage)]) {
        layers += stage_parameters(layout.model, {p.tensor, 1}, {chunk.layers, false, false});
        ends += stage_parameters(layout.model, {p.tensor, 1}, {0, chunk.embedding, chunk.head});
      }
      const std::int64_t gathered = p.sharding == Sharding::parameters
                                        ? p.micro_batches * (2 * layers + ends)
                                        : layers + ends;
      EXPECT_EQ(static_cast<double>(gathered) * size_of(p.compute_type).value,
                test::collective_bytes(program, role, CollectiveKind::all_gather, group))
          << test::text_of(layout);
    }
  }
}

// By layer and micro-batch: how often its weights are gathered.
TEST(Compile, GathersEachLayerTwiceInAMicroBatchUnderFsdp) {
  for (const Layout& layout : all_layouts()) {
    const Parallelism& p = layout.plan.parallelism;
    if (p.sharding != Sharding::parameters) continue;
    const Program program = compile(layout.model, layout.plan);
    std::map<std::pair<int, int>, int> gathers, expected;
    for (const Role& role : program.roles)
      for (const Call& call : role.script.calls)
        if (test::body_name(program, call) == "weight gather" && call.first_layer >= 0)
          gathers[{call.first_layer, call.micro_batch}] += call.layers;
    for (int layer = 0; layer < layout.model.layers; ++layer)
      for (int micro_batch = 0; micro_batch < p.micro_batches; ++micro_batch)
        expected[{layer, micro_batch}] = 2;
    EXPECT_EQ(expected, gathers) << test::text_of(layout);
  }
}

TEST(Compile, MakesProgramsWithoutFaults) {
  for (const Layout& layout : all_layouts())
    EXPECT_EQ(std::vector<std::string>{}, faults(compile(layout.model, layout.plan)))
        << test::text_of(layout);
}

TEST(Compile, GivesEqualProgramsForEqualInputs) {
  for (const Layout& layout : all_layouts())
    EXPECT_EQ(compile(layout.model, layout.plan), compile(layout.model, layout.plan));
}

bool starts_with(const std::string& text, const std::string& beginning) {
  return text.rfind(beginning, 0) == 0;
}

// The passes in the order in which a script runs their layers.
PassOrder passes_of(const Program& program, const Role& role) {
  const std::vector<std::pair<std::string, PassKind>> bodies{
      {"layer forward", PassKind::forward},
      {"layer backward", PassKind::backward},
      {"layer input gradient", PassKind::input_gradient},
      {"layer weight gradient", PassKind::weight_gradient}};
  PassOrder order;
  for (const Call& call : role.script.calls)
    for (const auto& [name, kind] : bodies) {
      const Pass pass{kind, call.micro_batch, call.chunk};
      if (starts_with(test::body_name(program, call), name) &&
          (order.empty() || order.back() != pass))
        order.push_back(pass);
    }
  return order;
}

TEST(Compile, KeepsTheSchedulesOrder) {
  for (const Layout& layout : all_layouts()) {
    const Program program = compile(layout.model, layout.plan);
    for (const Role& role : program.roles)
      EXPECT_EQ(pipeline_order(layout.plan.parallelism, role.stage), passes_of(program, role))
          << test::text_of(layout);
  }
}

// Every layer of a stage once per micro-batch forward, once backward.
TEST(Compile, RunsEveryLayerOncePerPass) {
  for (const Layout& layout : all_layouts()) {
    const Program program = compile(layout.model, layout.plan);
    std::map<std::string, std::map<int, int>> runs;  // by kind of body and layer
    for (const Role& role : program.roles)
      for (const Call& call : role.script.calls) {
        const std::string& name = test::body_name(program, call);
        if (!starts_with(name, "layer ")) continue;
        const std::string kind = name.substr(0, name.find(" with recompute"));
        for (int index = 0; index < call.layers; ++index)
          ++runs[kind][call.first_layer + index * call.layer_step];
      }
    for (const auto& [kind, layers] : runs) {
      EXPECT_EQ(static_cast<std::size_t>(layout.model.layers), layers.size())
          << kind << " " << test::text_of(layout);
      for (const auto& [layer, times] : layers)
        EXPECT_EQ(layout.plan.parallelism.micro_batches, times)
            << kind << " " << layer << " " << test::text_of(layout);
    }
    EXPECT_EQ(runs.contains("layer weight gradient") ? 3U : 2U, runs.size());
  }
}

// What makes a bucket's gradients, by its layers.
bool makes_gradients_of(const Program& program, const Call& call, const Bucket& bucket) {
  const std::string& name = test::body_name(program, call);
  if (bucket.embedding && name == "embedding backward") return true;
  if (bucket.head && (name == "head backward" || name == "head weight gradient")) return true;
  if (!starts_with(name, "layer backward") && name != "layer weight gradient") return false;
  const int last = call.first_layer, first = last - call.layers + 1;
  return first <= bucket.last_layer && last > bucket.last_layer - bucket.layers;
}

// No bucket leaves before the last kernel that adds to it: compute lanes run in script order, so
// its first own kernel must stand behind all of them (those of later micro-batches, where every
// micro-batch's gradients leave, excepted).
TEST(Compile, SendsNoBucketBeforeItsGradientsAreWhole) {
  for (const Layout& layout : all_layouts()) {
    const Parallelism& p = layout.plan.parallelism;
    if (p.data == 1 || p.sharding == Sharding::parameters) continue;
    const Program program = compile(layout.model, layout.plan);
    const auto stages = stage_chunks(layout.model, p);
    for (const Role& role : program.roles)
      for (std::size_t index = 0; index < role.script.calls.size(); ++index) {
        const Call& prepare = role.script.calls[index];
        const std::string& name = test::body_name(program, prepare);
        if (name != "gradient scale" && name != "bucket clip") continue;
        const Chunk& chunk =
            stages[static_cast<std::size_t>(role.stage)][static_cast<std::size_t>(prepare.chunk)];
        const Bucket bucket =
            gradient_buckets(layout.model, {p.tensor, 1}, chunk, layout.plan.ccl.bucket,
                             p.gradient_type)[static_cast<std::size_t>(prepare.bucket)];
        for (std::size_t other = index; other < role.script.calls.size(); ++other) {
          const Call& later = role.script.calls[other];
          if (p.sharding == Sharding::gradients && later.micro_batch != prepare.micro_batch)
            continue;
          EXPECT_FALSE(later.chunk == prepare.chunk && makes_gradients_of(program, later, bucket))
              << "call " << index << " before " << other << ", " << test::text_of(layout);
        }
      }
  }
}

// The next layers' kernels never wait for a collective of gradients: neither by `after`, nor behind
// a kernel of a bucket's second piece, which would hold the compute lane until the first was sent.
TEST(Compile, LetsBackwardGoOnUnderGradientExchanges) {
  for (const Layout& layout : all_layouts()) {
    const Program program = compile(layout.model, layout.plan);
    for (const Body& body : program.bodies)
      for (const Instruction& instruction : body.instructions)
        EXPECT_TRUE(body.name != "gradient exchange" ||
                    std::holds_alternative<Collective>(instruction.action));
    for (const Role& role : program.roles)
      for (const Call& call : role.script.calls) {
        const std::string& name = test::body_name(program, call);
        for (const int earlier : call.after) {
          const Call& awaited = role.script.calls[static_cast<std::size_t>(earlier)];
          if (test::body_name(program, awaited) != "gradient exchange") continue;
          EXPECT_TRUE(name == "gradient exchange" || name == "clip" || name == "update" ||
                      name == "norm gradients" || name == "tied embedding gradients")
              << name << ", " << test::text_of(layout);
        }
      }
  }
}

// Weights that the last update left in shares: nothing of the first micro-batch's forward starts
// before its own bucket is gathered, and the embedding does not wait for the head's.
TEST(Compile, WaitsForTheBucketsOwnGatherInTheFirstForward) {
  Layout layout{test::layout_models()[0], test::layout_plan(1, 4, 1, 1, 1)};
  layout.plan.ccl.bucket = Bytes{100e6};
  const Program program = compile(layout.model, layout.plan);
  const std::vector<Call>& calls = program.roles[0].script.calls;
  std::vector<int> awaited;
  for (const Call& call : calls) {
    const std::string& name = test::body_name(program, call);
    if (call.micro_batch != 0 || (name != "layer forward" && name != "embedding forward")) continue;
    for (const int earlier : call.after)
      if (const Call& gather = calls[static_cast<std::size_t>(earlier)];
          test::body_name(program, gather) == "weight gather")
        awaited.push_back(gather.bucket);
  }
  // 8 layers of one bucket each: 0 holds layer 7 and the head, 7 layer 0 and the embedding.
  EXPECT_EQ((std::vector<int>{7, 7, 6, 5, 4, 3, 2, 1, 0}), awaited);
}

// The norm of gradients that are kept in shares needs all who hold one.
TEST(Compile, SumsTheGradientNormOverAllShares) {
  for (int sharding = 0; sharding < 4; ++sharding) {
    const Layout layout{test::layout_models()[0], test::layout_plan(2, 4, 2, 1, sharding)};
    const Program program = compile(layout.model, layout.plan);
    const auto model =
        std::find_if(program.communicators.begin(), program.communicators.end(),
                     [](const Communicator& communicator) { return communicator.name == "model"; });
    ASSERT_NE(program.communicators.end(), model);
    EXPECT_EQ(sharding == 0 ? 4 : 16, group_size(program.grid, *model));
  }
}

// Llama-3.1-405B's shape (126 layers, hidden 16384, 128 heads, 8 of keys), 64 micro-batches.
Model llama_405b() {
  Model model = test::shipped_model("llama-3-70b");
  model.layers = 126;
  model.hidden = 16'384;
  model.heads = 128;
  model.feed_forward = 53'248;
  return model;
}

std::size_t most_calls(const Program& program) {
  std::size_t most = 0;
  for (const Role& role : program.roles) most = std::max(most, role.script.calls.size());
  return most;
}

std::size_t instructions(const Program& program) {
  std::size_t sum = 0;
  for (const Body& body : program.bodies) sum += body.instructions.size();
  return sum;
}

TEST(Compile, KeepsProgramsSmallForLargeModels) {
  for (const PipelineSchedule schedule :
       {PipelineSchedule::one_f_one_b, PipelineSchedule::interleaved, PipelineSchedule::zb_h1,
        PipelineSchedule::zb_h2}) {
    Plan plan;
    plan.parallelism = {.tensor = 8,
                        .data = 128,
                        .pipeline = 16,
                        .sequence_parallel = true,
                        .sharding = Sharding::optimizer,
                        .schedule = schedule,
                        .sequence_length = 8192,
                        .micro_batches = 64};
    if (schedule == PipelineSchedule::interleaved) plan.parallelism.virtual_stages = 2;
    const int chunks = 16 * plan.parallelism.virtual_stages;
    for (int chunk = 0; chunk < chunks; ++chunk)  // 126 do not divide evenly
      plan.parallelism.stage_layers.push_back(126 / chunks + (chunk < 126 % chunks ? 1 : 0));
    plan.ccl.bucket = Bytes{160e6};
    const Program program = compile(llama_405b(), plan);
    EXPECT_LT(most_calls(program), 2000U) << name_of(schedule);
    EXPECT_LT(instructions(program), 200U) << name_of(schedule);
  }
}

// FSDP names every layer's gather and scatter: the script grows with layers times micro-batches,
// the bodies do not.
TEST(Compile, KeepsBodiesFewUnderFsdp) {
  Plan plan;
  plan.parallelism = {
      .data = 1024, .sharding = Sharding::parameters, .sequence_length = 8192, .micro_batches = 4};
  const Program program = compile(llama_405b(), plan);
  EXPECT_LT(most_calls(program), 4U * 126U * 7U);
  EXPECT_LT(instructions(program), 200U);
}

// Two layers on 4 ranks, all recomputed: both ends once, each layer for its forward, its recompute
// and its backward; four tensors each, every one zeroed before and copied rank by rank after.
TEST(Compile, ListsOfTensorsAreGatheredOneByOneAndCopiedByRank) {
  const Model model = test::tiny_model();
  Plan plan;
  plan.parallelism.data = 4;
  plan.parallelism.sharding = Sharding::parameters;
  plan.parallelism.recompute = Recompute::full;
  plan.parallelism.sequence_length = 4;
  CompileOptions options;
  options.list_collectives = true;
  const Program lists = compile(model, plan, options);
  const Program whole = compile(model, plan);
  const auto gathered = [](const Program& program) {
    return test::collective_bytes(program, program.roles[0], CollectiveKind::all_gather, "data");
  };
  int gathers = 0, copies = 0;
  test::each_instruction(lists, lists.roles[0],
                         [&](const Call&, const Instruction& instruction, int times) {
                           if (instruction.name == "all-gather weights") gathers += times;
                           const auto* const compute = std::get_if<Compute>(&instruction.action);
                           if (compute && compute->work.computation == Computation::tensor_copies &&
                               compute->work.kernels == 4)
                             copies += times;
                         });
  EXPECT_EQ(gathers, 4 * (1 + 3 * 2));
  // Gradients leave in two buckets: the last layer with the head, the first with the embedding.
  EXPECT_EQ(copies - gathers, 4 * 2);
  const double layer = 2.0 * static_cast<double>(layer_parameters(model, {}).total());
  EXPECT_DOUBLE_EQ(gathered(lists), gathered(whole) + 2 * layer);  // the second time backward
}

// Optimizer state in shares, and yet every rank sums all gradients, in fp32: twice the bytes of
// bf16 gradients, put together and cast before, cast and copied back after.
TEST(Compile, WholeGradientsAreSummedInFp32WhereTheStackDoesSo) {
  const Model model = test::tiny_model();
  Plan plan;
  plan.parallelism.data = 4;
  plan.parallelism.sharding = Sharding::optimizer;
  plan.parallelism.gradient_type = DataType::bf16;
  plan.parallelism.sequence_length = 4;
  CompileOptions options;
  options.sums_whole_gradients = true;
  const Program whole = compile(model, plan, options);
  const Program shares = compile(model, plan);
  const auto bytes = [](const Program& program, CollectiveKind kind) {
    return test::collective_bytes(program, program.roles[0], kind, "data");
  };
  const auto parameters = static_cast<double>(total_parameters(model));
  EXPECT_DOUBLE_EQ(bytes(shares, CollectiveKind::reduce_scatter), 2 * parameters);
  EXPECT_DOUBLE_EQ(bytes(whole, CollectiveKind::reduce_scatter), 0);
  EXPECT_DOUBLE_EQ(
      bytes(whole, CollectiveKind::all_reduce) - bytes(shares, CollectiveKind::all_reduce),
      4 * parameters);
  EXPECT_DOUBLE_EQ(bytes(whole, CollectiveKind::all_gather),
                   bytes(shares, CollectiveKind::all_gather));
}

// Two stages, two micro-batches: two activations one way, two gradients the other.
TEST(Compile, StagesWaitForTheirMessagesToLeaveWhereTheStackDoesSo) {
  Plan plan;
  plan.parallelism.pipeline = 2;
  plan.parallelism.micro_batches = 2;
  plan.parallelism.sequence_length = 4;
  CompileOptions options;
  const auto waits = [&] {
    const Program program = compile(test::tiny_model(), plan, options);
    int number = 0;
    for (const Role& role : program.roles)
      test::each_instruction(program, role, [&](const Call&, const Instruction& each, int times) {
        if (each.name == "wait for send") number += times;
      });
    return number;
  };
  EXPECT_EQ(waits(), 0);
  options.waits_for_sends = true;
  EXPECT_EQ(waits(), 4);
}

}  // namespace
}  // namespace quintet
