// Runs on documents of unequal length, of models that train in no time.
#pragma once

#include "engine/train/thread_ranks.h"
#include "tests/engine/train/small_run.h"

namespace quintet::engine::test {

struct Steps {
  std::vector<double> losses, norms;
  std::optional<Error> error;
};

inline constexpr const char* small_gpt =
    R"({"model_type": "gpt2", "n_layer": 2, "n_embd": 32, "n_head": 4,
  "n_positions": 16, "vocab_size": 256, "resid_pdrop": 0, "attn_pdrop": 0, "embd_pdrop": 0})";
inline constexpr const char* small_bert =
    R"({"model_type": "bert", "num_hidden_layers": 2, "hidden_size": 32,
  "num_attention_heads": 4, "intermediate_size": 64, "max_position_embeddings": 16,
  "type_vocab_size": 2, "vocab_size": 257, "hidden_dropout_prob": 0,
  "attention_probs_dropout_prob": 0, "tie_word_embeddings": true})";

// Paragraphs of 2 to 16 bytes, four of five of them with all 16: some ranks have drawn nothing but
// full ones and are dealt shorter ones, whose losses are fewer than those of the step before.
inline std::string paragraphs() {
  std::string text;
  for (int number = 0; number < 200; ++number) {
    const int length = number % 5 < 4 ? 16 : 2 + number / 5 * 7 % 15;
    for (int place = 0; place < length; ++place)
      text += static_cast<char>('a' + (number * 5 + place * place) % 26);
    text += "\n\n";
  }
  return text;
}

// A run of six steps on two hosts of two ranks, or on one rank.
class SampledRun {
 public:
  SampledRun(const std::string& model, const std::string& layout, const std::string& draw,
             const std::string& load_balance, const std::string& others = "")
      : run_(layout + R"(, "micro_batch": 4, "load_balance": ")" + load_balance +
                 R"(", "samples": {"lengths": "LENGTHS", )" + draw + "}",
             others) {
    std::ofstream(run_.file("model.json")) << model;
    std::ofstream(run_.file("text.txt")) << paragraphs();
    std::ofstream lengths(run_.file("lengths.csv"));
    lengths << "length,count\n";
    for (int length = 2; length <= 16; ++length)
      lengths << length << (length < 16 ? ",3\n" : ",163\n");
    lengths.close();
    run_.options.plan_changes = {
        {"parallelism.samples.lengths", '"' + run_.file("lengths.csv").string() + '"', "a test"}};
    const bool one = layout.find("\"data\": 4") == std::string::npos;
    run_.options.topology = QUINTET_TOPOLOGIES "/ethernet-cpu-4.json";
    run_.options.topology_changes = {{"hosts", one ? "1" : "2", "a test"},
                                     {"host.slots", one ? "1" : "2", "a test"}};
    run_.options.steps = 6;
  }

  SmallRun& run() { return run_; }

  Steps steps(const std::optional<Error>& error) const {
    Steps steps;
    steps.error = error;
    std::ifstream log(run_.options.log);
    for (std::string line; std::getline(log, line);)
      if (const auto record = nlohmann::json::parse(line); record.at("record") == "step") {
        steps.losses.push_back(record.at("loss"));
        steps.norms.push_back(record.at("gradient_norm"));
      }
    return steps;
  }

 private:
  SmallRun run_;
};

inline Steps steps_of(const std::string& model, const std::string& layout, const std::string& draw,
                      const std::string& load_balance) {
  SampledRun sampled(model, layout, draw, load_balance);
  SmallRun& run = sampled.run();
  run.options.ranks = RankKind::threads;
  const auto end = train_in_threads(run.inputs(), run.options, {}, run.hooks());
  return sampled.steps(end ? std::nullopt : std::optional(end.error()));
}

// The first step's samples have the same losses, computed by the same weights: their sum of some
// 300 in fp32 may be off by an ulp (6e-8) for each order of adding, 1e-6 together. Gradients are
// sums of as many, and Adam, which divides them by their size, makes weights of steps that follow
// out of them: what is off by 1e-7 in a gradient near nothing is off by that of a step of 1e-4 in a
// weight.
inline void expect_alike(const Steps& one, const Steps& other) {
  ASSERT_FALSE(one.error) << one.error->text();
  ASSERT_FALSE(other.error) << other.error->text();
  ASSERT_EQ(one.losses.size(), 6u);
  ASSERT_EQ(other.losses.size(), 6u);
  for (std::size_t step = 0; step < one.losses.size(); ++step) {
    const double order = step == 0 ? 1e-6 : 1e-5;
    EXPECT_NEAR(one.losses[step], other.losses[step], order * one.losses[step]) << step;
    EXPECT_NEAR(one.norms[step], other.norms[step], 10 * order * one.norms[step]) << step;
  }
}

inline constexpr const char* four_ranks = R"("data": 4, "micro_batches": 2)";
inline constexpr const char* one_rank = R"("micro_batches": 8)";
inline constexpr const char* at_random = R"("draw": "random")";
inline constexpr const char* by_bins =
    R"("draw": "stratified", "bins": [4, 8, 12, 16], "counts": [1, 1, 0, 2])";

}  // namespace quintet::engine::test
