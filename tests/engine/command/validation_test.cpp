// The loss on tokens kept aside: one number for all layouts, and training goes on as if nobody had
// asked.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_folder.h"
#include "tests/support/training_run.h"

namespace quintet::test {
namespace {

namespace fs = std::filesystem;

std::vector<nlohmann::json> records(const fs::path& folder, const std::string& kind) {
  std::vector<nlohmann::json> found;
  std::ifstream log(folder / "log.jsonl");
  for (std::string line; std::getline(log, line);)
    if (auto record = nlohmann::json::parse(line); record.at("record") == kind)
      found.push_back(std::move(record));
  return found;
}

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_held_out(const fs::path& folder) {
  std::ofstream text(folder / "held-out.txt");
  for (int line = 0; line < 40; ++line) text << "other " << line * 7 << " words, unseen\n";
}

void write_dropping_model(const fs::path& folder, double dropout) {
  nlohmann::json model{{"model_type", "gpt2"}, {"n_layer", 4},      {"n_embd", 32},
                       {"n_head", 4},          {"n_positions", 16}, {"vocab_size", 256}};
  for (const char* const where : {"resid_pdrop", "attn_pdrop", "embd_pdrop"})
    model[where] = dropout;
  std::ofstream(folder / "model.json") << model.dump();
}

struct AskedLayout {
  const char *name, *parallelism;
};
void PrintTo(const AskedLayout& layout, std::ostream* out) {
  *out << layout.parallelism;
}

const std::vector<AskedLayout>& asked_layouts() {
  static const std::vector<AskedLayout> all{
      {"Data4", R"("data": 4, "micro_batches": 2)"},
      {"Data2TwoSequences", R"("data": 2, "micro_batch": 2, "micro_batches": 2)"},
      {"Zero1", R"("data": 4, "micro_batches": 2, "sharding": "optimizer")"},
      {"Zero3", R"("data": 4, "micro_batches": 2, "sharding": "parameters")"},
      {"Tensor2Pipeline2", R"("tensor": 2, "pipeline": 2, "micro_batches": 8)"},
      {"SequenceParallel", R"("tensor": 4, "sequence_parallel": true, "micro_batches": 8)"},
      {"Recomputed", R"("pipeline": 2, "recompute": "full", "micro_batches": 8)"},
      {"ZeroBubble", R"("pipeline": 4, "schedule": "zb-h1", "micro_batches": 8)"},
      {"Interleaved",
       R"("pipeline": 2, "virtual_stages": 2, "schedule": "interleaved", "data": 2, "micro_batches": 4)"},
  };
  return all;
}

class ValidationLayouts : public testing::TestWithParam<AskedLayout> {};

// 5 sequences are no multiple of any layout's sequences at once but one's: 5 x 16 targets count.
TEST_P(ValidationLayouts, AgreeWithTheSingleRank) {
  const TemporaryFolder folder;
  write_small_model(folder.path());
  write_held_out(folder.path());
  const std::vector<std::string> options{
      "--steps",          "2", "--validate",           "held-out.txt",
      "--validate-every", "1", "--validate-sequences", "5"};
  const auto losses = [&](const std::string& parallelism) {
    const TrainingRun run = train(parallelism, options, folder.path());
    EXPECT_EQ(run.program.exit_code, 0) << run.program.err;
    EXPECT_NE(run.program.out.find("validation after step 2: loss "), std::string::npos)
        << run.program.out;
    return records(folder.path(), "validation");
  };
  const auto single = losses(R"("micro_batches": 8)");
  const auto many = losses(GetParam().parallelism);
  ASSERT_EQ(single.size(), 2u);
  ASSERT_EQ(many.size(), 2u);
  for (std::size_t at = 0; at < 2; ++at) {
    EXPECT_EQ(many[at].at("targets"), 80);
    EXPECT_EQ(many[at].at("sequences"), 5);
    const double expected = single[at].at("loss");
    EXPECT_NEAR(many[at].at("loss").get<double>(), expected, 1e-5 * expected);
  }
}

// Dropout draws by place and step, not by how often it was asked.
TEST_P(ValidationLayouts, LeaveTheWeightsAsTheyAre) {
  const TemporaryFolder folder;
  write_small_model(folder.path());
  write_dropping_model(folder.path(), 0.1);
  write_held_out(folder.path());
  std::vector<std::string> options{"--steps", "3", "--save-weights", "plain"};
  const TrainingRun plain = train(GetParam().parallelism, options, folder.path());
  ASSERT_EQ(plain.program.exit_code, 0) << plain.program.err;
  options = {
      "--steps",          "3", "--save-weights",       "validated", "--validate", "held-out.txt",
      "--validate-every", "1", "--validate-sequences", "3"};
  const TrainingRun validated = train(GetParam().parallelism, options, folder.path());
  ASSERT_EQ(validated.program.exit_code, 0) << validated.program.err;
  EXPECT_EQ(validated.losses, plain.losses);
  const std::string expected = bytes_of(folder.path() / "plain/model.safetensors");
  ASSERT_GT(expected.size(), 4u * 50'000);  // fp32 of its 58,000 parameters
  EXPECT_TRUE(bytes_of(folder.path() / "validated/model.safetensors") == expected);
}

INSTANTIATE_TEST_SUITE_P(Run, ValidationLayouts, testing::ValuesIn(asked_layouts()),
                         [](const auto& layout) { return layout.param.name; });

// What delayed scaling has seen is the steps' alone: a pass in between would shift it by one.
TEST(Validation, LeavesWhatFp8HasSeenAsItIs) {
  const TemporaryFolder folder;
  write_held_out(folder.path());
  const auto weights = [&](const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> words{
        "run",        "tiny-gpt-fp8", "--model", "tiny-gpt",       "--data",
        "the-valley", "--steps",      "4",       "--save-weights", name};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramRun run = run_quintet(words, folder.path());
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return bytes_of(folder.path() / name / "model.safetensors");
  };
  const std::string expected = weights("plain", {});
  ASSERT_FALSE(expected.empty());
  EXPECT_TRUE(weights("validated", {"--validate", "held-out.txt", "--validate-every", "1",
                                    "--validate-sequences", "4"}) == expected);
}

// A text of one sequence: what the step learns from is what it is validated on, and at a rate of 0
// the weights are the same before and after.
TEST(Validation, OfWhatAStepSeesIsTheStepsLoss) {
  const TemporaryFolder folder;
  write_small_model(folder.path());
  std::ofstream(folder.path() / "text.txt") << "seventeen letters";
  const TrainingRun run =
      train(R"("micro_batches": 1)",
            {"--steps", "1", "--learning-rate", "0", "--validate", "text.txt"}, folder.path());
  ASSERT_EQ(run.program.exit_code, 0) << run.program.err;
  const auto found = records(folder.path(), "validation");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].at("targets"), 16);
  EXPECT_NEAR(found[0].at("loss").get<double>(), run.losses.front(), 1e-6 * run.losses.front());
  EXPECT_EQ(records(folder.path(), "summary")[0].at("validation_loss"), found[0].at("loss"));
}

// Half of all activations dropped would be seen in the fourth digit at the latest.
TEST(Validation, DropsNothing) {
  const TemporaryFolder folder;
  write_small_model(folder.path());
  write_held_out(folder.path());
  std::vector<double> losses;
  for (const double dropout : {0.0, 0.5}) {
    write_dropping_model(folder.path(), dropout);
    const TrainingRun run = train(
        R"("tensor": 2, "micro_batches": 1)",
        {"--steps", "1", "--learning-rate", "0", "--validate", "held-out.txt", "--one-process"},
        folder.path());
    ASSERT_EQ(run.program.exit_code, 0) << run.program.err;
    losses.push_back(records(folder.path(), "validation")[0].at("loss"));
  }
  EXPECT_NEAR(losses[0], losses[1], 1e-6 * losses[0]);
}

// 1,000 letters are 62 sequences of 16 (the token behind the last: (1000 - 1) / 16); a quarter is
// 15.5, rounded 16.
TEST(Validation, OfAShareTakesTheEndOfTheData) {
  const TemporaryFolder folder;
  write_small_model(folder.path());
  std::ofstream(folder.path() / "text.txt") << std::string(1000, 'a');
  const TrainingRun run =
      train(R"("data": 2)", {"--steps", "1", "--validate", "0.25"}, folder.path());
  ASSERT_EQ(run.program.exit_code, 0) << run.program.err;
  EXPECT_EQ(records(folder.path(), "validation")[0].at("sequences"), 16);
}

}  // namespace
}  // namespace quintet::test
