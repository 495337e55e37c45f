#include "engine/train/training_inputs.h"

#include <gtest/gtest.h>

#include "engine/train/gemm_peak.h"
#include "sim/topology/describe/describe.h"
#include "tests/support/temporary_folder.h"

namespace quintet::engine {
namespace {

Result<ModelNumerics> numerics_of(const std::string& config, ModelFamily family) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "config.json", config);
  return read_numerics(folder.path() / "config.json", family);
}

TEST(Numerics, AreThoseOfTheConfig) {
  const auto gpt2 =
      numerics_of(R"({"layer_norm_epsilon": 1e-3, "initializer_range": 0.5})", ModelFamily::gpt2);
  ASSERT_TRUE(gpt2);
  EXPECT_EQ(gpt2->numerics.norm_epsilon, 1e-3F);
  EXPECT_EQ(gpt2->deviation, 0.5);
  const auto llama = numerics_of(
      R"({"rms_norm_eps": 1e-4, "rope_theta": 500000, "rope_scaling": null})", ModelFamily::llama);
  ASSERT_TRUE(llama);
  EXPECT_EQ(llama->numerics.norm_epsilon, 1e-4F);
  EXPECT_EQ(llama->numerics.rotary_theta, 500000.0);
}

// transformers: GPT2Config 1e-5, BertConfig 1e-12, LlamaConfig 1e-6 and theta 10000.
TEST(Numerics, HaveTheDefaultsOfTransformers) {
  for (const auto& [family, epsilon] :
       {std::pair{ModelFamily::gpt2, 1e-5F}, std::pair{ModelFamily::bert, 1e-12F},
        std::pair{ModelFamily::llama, 1e-6F}}) {
    const auto read = numerics_of("{}", family);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->numerics.norm_epsilon, epsilon);
    EXPECT_EQ(read->numerics.rotary_theta, 10000.0);
    EXPECT_EQ(read->deviation, 0.02);
  }
}

// Llama 3.1 8B's and 3.2 1B's config.json differ in the factor: 8 and 32.
TEST(Numerics, SayHowRotaryPositionsAreScaled) {
  const auto llama = numerics_of(
      R"({"rope_theta": 500000, "rope_scaling": {"rope_type": "llama3", "factor": 32.0,
          "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 8192}})",
      ModelFamily::llama);
  ASSERT_TRUE(llama) << llama.error().text();
  EXPECT_EQ(llama->numerics.rotary_scaling,
            (kernels::RotaryScaling{kernels::RotaryScalingKind::llama3, 32, 1, 4, 8192}));
  const auto linear =
      numerics_of(R"({"rope_scaling": {"type": "linear", "factor": 2}})", ModelFamily::llama);
  ASSERT_TRUE(linear) << linear.error().text();
  EXPECT_EQ(linear->numerics.rotary_scaling,
            (kernels::RotaryScaling{kernels::RotaryScalingKind::linear, 2, 1, 4, 8192}));
}

// What transformers 5 writes in the place of both; a theta beside it is of an older version.
TEST(Numerics, HaveRotaryPositionsAsTransformers5WritesThem) {
  const auto plain = numerics_of(
      R"({"rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0}, "rope_theta": 500})",
      ModelFamily::qwen3);
  ASSERT_TRUE(plain) << plain.error().text();
  EXPECT_EQ(plain->numerics.rotary_theta, 1e6);
  EXPECT_EQ(plain->numerics.rotary_scaling, kernels::RotaryScaling{});
  const auto scaled = numerics_of(
      R"({"rope_parameters": {"rope_type": "llama3", "rope_theta": 500000, "factor": 8.0,
          "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 8192}})",
      ModelFamily::llama);
  ASSERT_TRUE(scaled) << scaled.error().text();
  EXPECT_EQ(scaled->numerics.rotary_theta, 5e5);
  EXPECT_EQ(scaled->numerics.rotary_scaling,
            (kernels::RotaryScaling{kernels::RotaryScalingKind::llama3, 8, 1, 4, 8192}));
}

// transformers' activations.py: "gelu" is x Phi(x), "gelu_new" has the hyperbolic tangent; defaults
// of GPT2Config and BertConfig.
TEST(Numerics, HaveTheGeluThatTheConfigNames) {
  using enum kernels::GeluForm;
  const auto gelu_of = [](const std::string& config, ModelFamily family) {
    const auto read = numerics_of(config, family);
    return read ? read->numerics.gelu : std::nullopt;
  };
  EXPECT_EQ(gelu_of(R"({"activation_function": "gelu"})", ModelFamily::gpt2), error_function);
  EXPECT_EQ(gelu_of(R"({"activation_function": "gelu_fast"})", ModelFamily::gpt2), hyperbolic);
  EXPECT_EQ(gelu_of("{}", ModelFamily::gpt2), hyperbolic);
  EXPECT_EQ(gelu_of(R"({"hidden_act": "gelu_new"})", ModelFamily::bert), hyperbolic);
  EXPECT_EQ(gelu_of("{}", ModelFamily::bert), error_function);
}

TEST(Numerics, ThatNoKernelHasAreRefusedByKey) {
  for (const char* const config :
       {R"({"rope_scaling": {"rope_type": "llama3"}})",
        R"({"rope_scaling": {"rope_type": "yarn", "factor": 4}})",
        R"({"rope_scaling": {"rope_type": "linear", "factor": 0}})",
        R"({"rope_parameters": {"rope_type": "yarn", "rope_theta": 10000}})",
        R"({"rope_parameters": {"rope_type": "default", "rope_theta": 0}})",
        R"({"rope_parameters": {"full_attention": {"rope_type": "default"}}})",
        R"({"rope_scaling": {"rope_type": "llama3", "factor": 8, "low_freq_factor": 4,
            "high_freq_factor": 4, "original_max_position_embeddings": 8192}})",
        R"({"rms_norm_eps": 0})", R"({"rope_theta": -1})", R"({"initializer_range": "small"})"}) {
    const auto read = numerics_of(config, ModelFamily::llama);
    EXPECT_FALSE(read) << config;
  }
}

// The file has 4 replicas take 4 sequences at once; taking 2 they take them twice.
TEST(TrainingInputs, TakeFieldsThatAreAskedOtherwise) {
  TrainingOptions options;
  options.plan = QUINTET_SOURCE_DIR "/traces/plans/tiny-gpt-dp4.json";
  options.model = QUINTET_SOURCE_DIR "/traces/models/tiny-gpt/config.json";
  const auto file = read_training_inputs(options);
  ASSERT_TRUE(file) << file.error().text();
  options.plan_changes = {{"parallelism.micro_batch", "2", "--set parallelism.micro_batch=2"}};
  const auto asked = read_training_inputs(options);
  ASSERT_TRUE(asked) << asked.error().text();
  EXPECT_EQ(asked->plan.parallelism.micro_batch, 2);
  EXPECT_EQ(global_batch(asked->plan.parallelism), global_batch(file->plan.parallelism));
  options.plan_changes.front().path = "parallelism.micro_bach";
  const auto wrong = read_training_inputs(options);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().where, "--set parallelism.micro_batch=2");
}

TEST(OneSwitch, GivesEveryRankAHostOfItsOwn) {
  const Topology machine = one_switch(3);
  EXPECT_EQ(machine.hosts.size(), 3u);
  EXPECT_EQ(rank_slots(machine).size(), 3u);
  EXPECT_EQ(seat_of(machine, rank_slots(machine)[2]), (Seat{2, 0}));
}

// box-4-1gbit has four hosts of one slot.
TEST(Seats, FollowThePlacementOnlyWhereABoxDoes) {
  const TemporaryFolder folder;
  TrainingOptions options;
  options.model = folder.path() / "model.json";
  options.plan = folder.path() / "plan.json";
  options.topology = QUINTET_TOPOLOGIES "/box-4-1gbit.json";
  write_bytes(options.model, R"({"model_type": "gpt2", "n_layer": 1, "n_embd": 8, "n_head": 1,
      "n_positions": 8, "vocab_size": 256, "resid_pdrop": 0, "attn_pdrop": 0, "embd_pdrop": 0})");
  write_bytes(options.plan, R"({"parallelism": {"data": 4, "sequence_length": 8},
      "intra_inter": {"placement": [3, 1, 2, 0]}})");
  const auto seats = [&](TrainingOptions::Shaped shaped) {
    options.shaped = shaped;
    const Result<TrainingInputs> inputs = read_training_inputs(options);
    EXPECT_TRUE(inputs) << inputs.error().text();
    return inputs ? inputs->seats : std::vector<Seat>{};
  };
  EXPECT_EQ(seats(TrainingOptions::Shaped::no),
            (std::vector<Seat>{{0, 0}, {1, 0}, {2, 0}, {3, 0}}));
  EXPECT_EQ(seats(TrainingOptions::Shaped::yes),
            (std::vector<Seat>{{3, 0}, {1, 0}, {2, 0}, {0, 0}}));
}

TEST(GemmPeak, IsARateThatACpuCanHave) {
  const auto kernels = kernels::fast_kernels();
  const double rate = gemm_peak(*kernels, DataType::fp32, Seconds{0.03}).value;
  EXPECT_GT(rate, 1e6);   // a product a cycle of a very slow machine
  EXPECT_LT(rate, 1e13);  // 32 lanes x 2 units x 2 FLOP x 8 GHz = 1e12 a core
}

// 4 ranks of one thread on 2 cores have half a core each; 2 ranks on 4 cores one each.
TEST(GemmPeak, OfARankIsItsShareOfTheCores) {
  const FlopRate core{100};
  EXPECT_EQ(peak_of_rank(core, {2, 4, 1}).value, 50);
  EXPECT_EQ(peak_of_rank(core, {4, 2, 1}).value, 100);
  EXPECT_EQ(peak_of_rank(core, {4, 2, 2}).value, 200);
  EXPECT_EQ(peak_of_rank(core, {4, 4, 2}).value, 100);
}

}  // namespace
}  // namespace quintet::engine
