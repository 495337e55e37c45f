// Replicators' operators, walked by hand on several ranks, against numpy (reference/
// make_reference.py): gradients are made up, and what is exchanged is put together here. With the
// CPU's fast kernels, its reference, and those for GPUs on the emulator of CUDA's threads.
#include "engine/replication/replication.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "sim/parallelism/compile.h"
#include "sim/program/groups.h"
#include "tests/kernels/cuda_emulator/emulated_kernels.h"
#include "tests/support/toy_steps.h"

namespace quintet::engine::test {
namespace {

constexpr float learning_rate = 0.05F;

Model reference_model() {
  Model model = toy_gpt2();
  model.layers = 2;
  model.hidden = 16;
  model.heads = model.kv_heads = 2;
  model.feed_forward = 32;
  model.vocabulary = 24;
  return model;
}

// One of numbers() of make_reference.py.
float made_up(std::uint64_t which, std::uint64_t step, std::uint64_t replica, Index element) {
  std::uint64_t h = static_cast<std::uint64_t>(element) * 2654435761 + replica * 2246822519 +
                    step * 3266489917 + which * 668265263;
  h %= std::uint64_t{1} << 32;
  h ^= h >> 15;
  h = h * 2246822519 % (std::uint64_t{1} << 32);
  h ^= h >> 13;
  return static_cast<float>(static_cast<double>(h) / 2147483648.0 - 1);
}

Plan reference_plan(const Replicator& replicator, int shards, int replicas) {
  Plan plan;
  Parallelism& parallelism = plan.parallelism;
  parallelism.sequence_length = toy_length;
  parallelism.compute_type = DataType::fp32;
  parallelism.data = shards * replicas;
  parallelism.clipping = Clipping::none;
  parallelism.optimizer = Optimizer::sgd;
  parallelism.replicator = replicator;
  if (shards > 1) {
    parallelism.sharding = Sharding::optimizer;
    parallelism.sharding_group = shards;
  }
  plan.ccl.bucket = Bytes{1};  // head and a layer; a layer and the embedding
  return plan;
}

enum class By { fast, reference, emulated_cuda };

std::unique_ptr<kernels::Kernels> kernels_of(By whom) {
  switch (whom) {
    case By::fast:
      return kernels::fast_kernels();
    case By::reference:
      return kernels::reference_kernels();
    case By::emulated_cuda:
      return kernels::emulated_cuda_kernels();
  }
  return nullptr;
}

// What a rank has but for activations.
struct HandRank {
  HandRank(const Model& model, const Plan& plan, const Program& program, int shard, int number,
           By whom)
      : replica(number),
        kernels(kernels_of(whom)),
        place(*kernels),
        layout({model, {}, 0, stage_chunks(model, plan.parallelism).front()}),
        weights(layout, DataType::fp32, GradientHome::sections, place),
        shares(layout, *cuts_of(program.roles.front(), layout), shard_ranks(plan.parallelism),
               shard),
        state(weights, shares, shape(plan), settings(), place),
        replication({plan.parallelism.replicator,
                     {number, plan.parallelism.data / shard_ranks(plan.parallelism)}},
                    program, program.roles.front().script, shares, state, place) {
    each_element([](float* weight, Index flat, Index) { *weight = made_up(0, 0, 0, flat); });
    replication.take_weights();
  }
  static StateShape shape(const Plan& plan) {
    StateShape shape;
    const bool whole = plan.parallelism.sharding == Sharding::none;
    shape.weights = whole ? WeightHome::sections : WeightHome::gathered;
    shape.tied = true;
    return shape;
  }
  static OptimizerSettings settings() {
    OptimizerSettings settings;
    settings.rule = UpdateRule::sgd;
    settings.weight_decay = 0.1F;
    return settings;
  }

  // visit(fp32 weight, flat element, place among the rank's own)
  template <class Visit>
  void each_element(const Visit& visit) {
    for (const Atom& atom : shares.atoms()) {
      const FlatRange held = shares.held(atom);
      for (Index at = 0; at < held.count(); ++at)
        visit(state.own_weights(atom, at), held.begin + at, atom.compact + at);
    }
  }
  void begin_step(int step) {
    state.begin_step();
    replication.begin_step(step, &rate);
    for (const Atom& atom : shares.atoms()) {
      const FlatRange held = shares.held(atom);
      float* const gradient = state.held_gradient(atom);
      for (Index at = 0; at < held.count(); ++at)
        gradient[at] = made_up(1, static_cast<std::uint64_t>(step),
                               static_cast<std::uint64_t>(replica), held.begin + at);
    }
  }

  int replica;
  float rate = learning_rate;
  std::unique_ptr<kernels::Kernels> kernels;
  Workplace place;
  ParameterLayout layout;
  WeightStore weights;
  Shares shares;
  TrainingState state;
  Replication replication;
};

// All ranks' buffers of one collective between replicas.
void combine_buffers(CollectiveKind kind, const std::vector<Buffer*>& buffers) {
  const auto parts = static_cast<Index>(buffers.size());
  if (kind == CollectiveKind::all_gather) {
    const Index part = buffers.front()->count() / parts;
    for (Index from = 0; from < parts; ++from)
      for (Buffer* const to : buffers)
        std::memcpy(to->bytes(from * part, part).data(),
                    buffers[static_cast<std::size_t>(from)]->bytes(from * part, part).data(),
                    static_cast<std::size_t>(part));
    return;
  }
  ASSERT_EQ(buffers.front()->type(), DataType::fp32);
  for (Index at = 0; at < buffers.front()->count(); ++at) {
    float sum = 0;
    for (Buffer* const each : buffers) sum += *each->floats(at);
    for (Buffer* const each : buffers) *each->floats(at) = sum;
  }
}

class ByHand {
 public:
  ByHand(const Replicator& replicator, int shards, int replicas, By whom)
      : model_(reference_model()),
        plan_(reference_plan(replicator, shards, replicas)),
        program_(compile(model_, plan_, {})) {
    for (int shard = 0; shard < shards; ++shard) {
      auto& group = groups_.emplace_back();
      for (int number = 0; number < replicas; ++number)
        group.push_back(std::make_unique<HandRank>(model_, plan_, program_, shard, number, whom));
    }
  }

  void train(int steps) {
    for (int step = 1; step <= steps; ++step)
      for (auto& group : groups_) walk(step, group);
  }
  const ParameterLayout& layout() const { return groups_[0][0]->layout; }
  const Program& program() const { return program_; }

  // The last replica's, by flat element.
  std::map<Index, std::pair<float, float>> weights_and_momenta() {
    std::map<Index, std::pair<float, float>> found;
    for (auto& group : groups_)
      group.back()->each_element([&](const float* weight, Index flat, Index own) {
        const float* const momentum = group.back()->replication.kept(own).momentum;
        found[flat] = {*weight, momentum ? *momentum : 0};
      });
    return found;
  }

 private:
  using Group = std::vector<std::unique_ptr<HandRank>>;

  void walk(int step, Group& group) {
    for (auto& rank : group) rank->begin_step(step);
    for (const Call& call : program_.roles.front().script.calls)
      for (const Instruction& instruction : program_.bodies[call.body.index()].instructions)
        if (step % call.every == 0) carry_out(instruction, call, group);
  }
  void carry_out(const Instruction& instruction, const Call& call, Group& group) {
    if (const auto* const compute = std::get_if<Compute>(&instruction.action)) {
      const Computation what = compute->work.computation;
      for (auto& rank : group) {
        if (is_of_replicator(what)) rank->replication.run(what, call.elements);
        if (what == Computation::element_update)
          rank->state.update(what, {&rank->rate, nullptr, -1});
      }
    }
    const auto* const collective = std::get_if<Collective>(&instruction.action);
    if (!collective || collective->purpose != Purpose::exchange_replicas) return;
    std::vector<Buffer*> buffers;
    for (auto& rank : group) buffers.push_back(&rank->replication.exchanged(call.elements));
    // The program says what the simulator counts: the same bytes.
    EXPECT_EQ(collective->size.value, static_cast<double>(buffers.front()->bytes().size()));
    combine_buffers(collective->kind, buffers);
  }

  Model model_;
  Plan plan_;
  Program program_;
  std::vector<Group> groups_;  // by place in the sharding group
};

struct Line {
  std::string name, what;
  int replica = 0;
  Index element = 0;
  float value = 0;
};

struct Reference {
  std::vector<std::pair<Index, Index>> tensors;
  std::vector<Line> lines;
};

const Reference& reference() {
  static const Reference read = [] {
    Reference made;
    std::ifstream file(QUINTET_SOURCE_DIR "/tests/engine/replication/reference/replicators.txt");
    for (std::string text; std::getline(file, text);) {
      std::istringstream words(text);
      Line line;
      words >> line.name;
      if (line.name == "tensor")
        words >> made.tensors.emplace_back().first >> made.tensors.back().second;
      else if (words >> line.what >> line.replica >> line.element >> line.value)
        made.lines.push_back(line);
    }
    return made;
  }();
  return read;
}

struct Case {
  std::string name;
  Replicator replicator;
  int steps = 3, shards = 1, replicas = 2;
};

void PrintTo(const Case& each, std::ostream* out) {
  *out << each.name;
}

Replicator demo() {
  return {.kind = ReplicatorKind::demo, .chunk = 8, .top_k = 5, .decay = 0.9};
}
Replicator demo_bf16() {
  Replicator made = demo();
  made.sign = false;
  made.value_type = DataType::bf16;
  made.index_type = IndexType::int16;
  return made;
}
Replicator every_2(Replicator replicator) {
  replicator.every = 2;
  return replicator;
}
Replicator diloco() {
  return every_2({.kind = ReplicatorKind::diloco, .outer_rate = 0.7, .outer_momentum = 0.9});
}

std::vector<Case> cases() {
  constexpr auto random = ReplicatorKind::random, striding = ReplicatorKind::striding;
  return {
      {"demo", demo(), 3, 1, 3},
      {"demo_bf16_values", demo_bf16(), 3, 1, 2},
      {"demo_shards", demo(), 3, 2, 2},
      {"demo_every_2", every_2(demo()), 4, 1, 2},
      {"random", {.kind = random, .rate = 0.25, .decay = 0.9}, 3, 1, 3},
      {"random_shards",
       {.kind = random, .rate = 0.25, .decay = 0.9, .sign = false, .seed = 7},
       3,
       2,
       2},
      {"striding", {.kind = striding, .rate = 0.15, .decay = 0.9, .sign = false}, 3, 1, 2},
      {"diloco", diloco(), 4, 1, 3},
      {"diloco_shards", diloco(), 4, 2, 2},
      {"full_every_2", every_2({}), 3, 1, 2},
  };
}

class Replicators : public testing::TestWithParam<std::tuple<Case, By>> {};

TEST(Reference, IsOfTheTensorsHere) {
  ByHand ranks(demo(), 1, 2, By::reference);
  std::vector<std::pair<Index, Index>> here;
  for (const Section& section : ranks.layout().sections())
    for (const LocalTensor& tensor : section.tensors) here.push_back({tensor.rows, tensor.columns});
  EXPECT_EQ(here, reference().tensors);
}

// A coefficient that lies halfway between two numbers of bf16 may be rounded to the other one where
// it was summed otherwise. Below 4 these are 2^-6 apart, and an element has of it what two entries
// of the bases of 8 are at most, 2 / 8: 2^-8. Few do: one line in twenty may.
constexpr double rounded_otherwise = 0x1p-8, few = 0.05;

TEST_P(Replicators, DoWhatNumpyDoes) {
  const auto& [each, whom] = GetParam();
  ByHand ranks(each.replicator, each.shards, each.replicas, whom);
  ranks.train(each.steps);
  const auto found = ranks.weights_and_momenta();
  const bool rounds = whom != By::reference && each.replicator.kind == ReplicatorKind::demo &&
                      each.replicator.value_type == DataType::bf16;
  int compared = 0, off = 0;
  for (const Line& line : reference().lines) {
    if (line.name != each.name) continue;
    const auto& [weight, momentum] = found.at(line.element);
    const float here = line.what == "weight" ? weight : momentum;
    EXPECT_NEAR(here, line.value, rounds ? rounded_otherwise : 1e-6)
        << line.what << " of element " << line.element;
    if (std::abs(here - line.value) > 1e-6F) ++off;
    ++compared;
  }
  EXPECT_GE(compared, 80);
  EXPECT_LE(off, few * compared);
}

constexpr const char* names[] = {"fast", "reference", "emulated_cuda"};

INSTANTIATE_TEST_SUITE_P(Kinds, Replicators,
                         testing::Combine(testing::ValuesIn(cases()),
                                          testing::Values(By::fast, By::reference,
                                                          By::emulated_cuda)),
                         [](const auto& each) {
                           return std::get<Case>(each.param).name + "_" +
                                  names[static_cast<int>(std::get<By>(each.param))];
                         });

}  // namespace
}  // namespace quintet::engine::test
