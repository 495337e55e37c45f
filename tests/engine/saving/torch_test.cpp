// Whole models against PyTorch, from the same safetensors weights: loss, every gradient, and the
// weights after one step (SGD: two) (reference/make_reference.py).
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "engine/files/weights/load_weights.h"
#include "engine/saving/saved_weights.h"
#include "sim/intra_inter/decompose.h"
#include "tests/engine/saving/job.h"
#include "tests/support/parameter_values.h"
#include "tests/support/small_models.h"

namespace quintet::engine::test {
namespace {

constexpr int rows = 4, length = 6, vocabulary = 13;

struct Family {
  std::string name;
  Model model;
};

void PrintTo(const Family& family, std::ostream* out) {
  *out << family.name;
}

std::vector<Family> families() {
  Model llama = small_llama();
  llama.qkv_bias = llama.attention_output_bias = llama.mlp_bias = false;
  Model gpt2 = small_gpt2();
  gpt2.dropout = gpt2.attention_dropout = 0;
  Model bert = small_bert();
  bert.dropout = bert.attention_dropout = 0;
  return {{"gpt2", gpt2}, {"llama", llama}, {"bert", bert}};
}

std::filesystem::path reference(const std::string& name) {
  return std::filesystem::path(QUINTET_SOURCE_DIR) / "tests/engine/saving/reference" /
         (name + ".safetensors");
}

// As TOKENS and TARGETS of the script, one row after the other or each a micro-batch.
StepInput input_of(const Model& model, const Parallelism& parallelism, int replica) {
  StepInput input;
  for (int micro = 0; micro < parallelism.micro_batches; ++micro) {
    Batch batch;
    batch.length = length;
    batch.starts = {0};
    const int first = (micro * parallelism.data + replica) * parallelism.micro_batch;
    for (int row = first; row < first + parallelism.micro_batch; ++row) {
      for (int place = 0; place < length; ++place) {
        const int i = row * length + place;
        batch.tokens.push_back((7 * i + 3) % vocabulary);
        batch.targets.push_back(i % 3 == 2 ? no_target : (5 * i + 1) % vocabulary);
        batch.positions.push_back(place);
        if (model.token_types > 0) batch.types.push_back(place < length / 2 ? 0 : 1);
      }
      batch.starts.push_back(static_cast<std::int32_t>(batch.tokens.size()));
      ++batch.sequences;
    }
    input.micro_batches.push_back(std::move(batch));
  }
  input.targets = rows * length * 2 / 3;
  return input;
}

Optimizer optimizer_of(UpdateRule rule) {
  switch (rule) {
    case UpdateRule::adamw:
      return Optimizer::adamw;
    case UpdateRule::lamb:
      return Optimizer::lamb;
    case UpdateRule::sgd:
      return Optimizer::sgd;
  }
  return Optimizer::adamw;
}

Toy toy_of(const Family& family, const Layout& layout, UpdateRule rule) {
  Toy made = toy_in(family.model, layout);
  Parallelism& parallelism = made.plan.parallelism;
  parallelism.sequence_length = length;
  parallelism.micro_batch = 1;
  parallelism.micro_batches = rows / layout.data;
  parallelism.clipping = Clipping::none;
  parallelism.optimizer = optimizer_of(rule);
  made.optimizer = {.rule = rule,
                    .learning_rate = 0.01F,
                    .epsilon = 1e-3F,
                    .weight_decay = 0.1F,
                    .momentum = rule == UpdateRule::sgd ? 0.9F : 0.0F};
  return made;
}

// Steps on one batch from the reference's weights; then `look`.
void after_steps(int steps, const Family& family, const Toy& toy, const Program& program,
                 const RankBody& look) {
  expect_success(run_job(toy, program, [&](const RankOfJob& rank) -> std::optional<Error> {
    const auto unread = load_weights(rank.executor, reference(family.name + "_weights"));
    if (!unread) return unread.error();
    EXPECT_EQ(*unread, std::vector<std::string>{});
    const int replica = coordinate(rank.program.grid, rank.peers.rank(), Axis::data);
    const StepInput input = input_of(family.model, toy.plan.parallelism, replica);
    const auto report = rank.executor.step(input);
    if (!report) return report.error();
    if (world_size(rank.program.grid) == 1) {
      const auto losses = WeightFiles::open(reference("losses"));
      float loss = 0;
      std::memcpy(&loss, tensor_content(*losses, family.name).data(), sizeof loss);
      EXPECT_NEAR(report->loss_sum / input.targets / static_cast<double>(loss), 1.0, 1e-6);
    }
    for (int step = 1; step < steps; ++step)
      if (const auto next = rank.executor.step(input); !next) return next.error();
    return look(rank);
  }));
}

void after_one_step(const Family& family, const Toy& toy, const RankBody& look) {
  after_steps(1, family, toy, program_of(toy), look);
}

class Torch : public testing::TestWithParam<Family> {};

// fp32 against double: errors of some 1e-6 of the largest gradient of each tensor.
TEST_P(Torch, GradientsOfTheWholeModel) {
  const Family& family = GetParam();
  const auto files = WeightFiles::open(reference(family.name + "_gradients"));
  ASSERT_TRUE(files) << files.error().text();
  after_one_step(
      family, toy_of(family, {"one rank"}, UpdateRule::adamw),
      [&](const RankOfJob& rank) -> std::optional<Error> {
        int number = 0;
        for (const Section& section : rank.executor.layout().sections()) {
          const float* const found = rank.executor.weights().gradients(number++).floats();
          std::vector<float> wanted(static_cast<std::size_t>(section.count));
          const BoxSource source = [&](const ParameterTensor& tensor, const Box& box,
                                       std::span<float> values) {
            return load_box(*files, family.model, tensor, box, values);
          };
          if (auto wrong = fill(section, 0, wanted, {source})) return wrong;
          for (const LocalTensor& tensor : section.tensors) {
            double largest = 0, error = 0;
            for (Index i = tensor.offset; i < tensor.offset + tensor.count(); ++i) {
              const auto expected = static_cast<double>(wanted[static_cast<std::size_t>(i)]);
              largest = std::max(largest, std::abs(expected));
              error = std::max(error, std::abs(expected - static_cast<double>(found[i])));
            }
            EXPECT_LE(error, 5e-6 * largest + 1e-7)
                << family.name << " " << tensor.parameter.slices.front().tensor.name;
          }
        }
        return std::nullopt;
      });
}

// The largest difference of all tensors of two files.
double difference(const WeightFiles& left, const WeightFiles& right) {
  double largest = 0;
  for (const std::string& name : left.names()) {
    const std::vector<std::byte> here = tensor_content(left, name),
                                 there = tensor_content(right, name);
    std::vector<float> one(here.size() / sizeof(float)), other(one.size());
    to_floats(StoredType::fp32, here, one);
    to_floats(StoredType::fp32, there, other);
    for (std::size_t i = 0; i < one.size(); ++i)
      largest = std::max(largest, static_cast<double>(std::abs(one[i] - other[i])));
  }
  return largest;
}

// A step moves weights by some 0.01; with epsilon 1e-3 an error of 1e-7 in a gradient moves one by
// 1e-4 of that.
// The weights after the first steps, saved.
void expect_torchs_weights(const Family& family, const Toy& toy, const Program& program,
                           const std::string& layout) {
  const UpdateRule rule = toy.optimizer.rule;
  const bool sgd = rule == UpdateRule::sgd;
  const TemporaryFolder folder;
  after_steps(sgd ? 2 : 1, family, toy, program, [&](const RankOfJob& rank) {
    return save_weights(rank.executor, folder.path(), rank.peers);
  });
  const char* const name = sgd ? "_sgd" : rule == UpdateRule::lamb ? "_lamb" : "_adamw";
  const auto expected = WeightFiles::open(reference(family.name + name));
  const auto found = WeightFiles::open(folder.path());
  ASSERT_TRUE(expected && found);
  EXPECT_EQ(found->names(), expected->names());
  EXPECT_LT(difference(*expected, *found), 3e-6) << layout << name;
}

TEST_P(Torch, WeightsAfterTheFirstStepsInEveryLayout) {
  using enum Sharding;
  const std::vector<Layout> layouts{
      {"one rank"},
      {.name = "tp2 pp2", .tensor = 2, .pipeline = 2},
      {.name = "tp2 sp pp2 dp2 zero1",
       .tensor = 2,
       .pipeline = 2,
       .data = 2,
       .sharding = optimizer,
       .sequence_parallel = true},
      {.name = "zero3 dp2", .data = 2, .sharding = parameters},
  };
  for (const UpdateRule rule : {UpdateRule::adamw, UpdateRule::lamb, UpdateRule::sgd})
    for (const Layout& layout : layouts) {
      const Toy toy = toy_of(GetParam(), layout, rule);
      expect_torchs_weights(GetParam(), toy, program_of(toy), layout.name);
    }
}

TEST_P(Torch, WeightsAfterOneStepWithUnfusedAttention) {
  Toy toy = toy_of(GetParam(), {"unfused attention"}, UpdateRule::adamw);
  toy.plan.parallelism.attention = AttentionChoice::unfused;
  expect_torchs_weights(GetParam(), toy, program_of(toy), "unfused attention");
}

Program in_phases(const Toy& toy) {
  constexpr int ranks_per_host = 2;
  const IntraInter phases{.decompositions = {{Axis::data, Decomposition::hierarchical}}};
  return decompose(program_of(toy), phases, ranks_per_host);
}

// Four replicas of a row each on two hosts of two: the gradients' sums, the shares that ZeRO splits
// among them and LAMB's norms go through a phase inside the hosts and one across. BERT's 1439
// elements have no two equal parts: the ranks of a host pad them.
TEST_P(Torch, WeightsAfterTheFirstStepsWithCollectivesInPhases) {
  using enum Sharding;
  for (const Sharding sharding : {none, optimizer, parameters}) {
    const Layout layout{.name = "phases", .data = 4, .sharding = sharding};
    for (const UpdateRule rule : {UpdateRule::lamb, UpdateRule::sgd}) {
      const Toy toy = toy_of(GetParam(), layout, rule);
      const Program program = in_phases(toy);
      ASSERT_GT(program.communicators.size(), program_of(toy).communicators.size());
      expect_torchs_weights(GetParam(), toy, program, "sharding " + std::string(name_of(sharding)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, Torch, testing::ValuesIn(families()),
                         [](const testing::TestParamInfo<Family>& family) {
                           return family.param.name;
                         });

}  // namespace
}  // namespace quintet::engine::test
