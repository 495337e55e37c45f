// Whatever `quintet run` is given wrongly: exit 2 before any rank is started, and a message that
// names the place, what was found and what would do.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_folder.h"
#include "tests/support/training_run.h"

namespace quintet::test {
namespace {

struct BadRun {
  const char* name;
  std::vector<std::string> words;  // behind `run`
  std::vector<std::string> says;
};

void PrintTo(const BadRun& run, std::ostream* out) {
  *out << run.name;
}

std::vector<std::string> with(std::vector<std::string> more, const std::string& plan = "plan.json",
                              const std::string& model = "model.json",
                              const std::string& data = "text.txt") {
  std::vector<std::string> words{plan, "--model", model, "--data", data};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const std::vector<BadRun>& rows() {
  static const std::vector<BadRun> all{
      {"NoPlan", {"--model", "model.json"}, {"plan", "required"}},
      {"NoData", {"plan.json", "--model", "model.json"}, {"--data", "required"}},
      {"MisspeltOption", with({"--step", "3"}), {"\"--step\"", "did you mean \"--steps\""}},
      {"UnknownPlan", with({}, "tiny-gpt-dp5"), {"\"tiny-gpt-dp5\"", "did you mean"}},
      {"UnknownModel", with({}, "plan.json", "tiny-gtp"), {"\"tiny-gtp\"", "tiny-gpt"}},
      {"UnknownData", with({}, "plan.json", "model.json", "nowhere.txt"), {"nowhere.txt"}},
      {"OtherNumberOfRanks", with({"--ranks", "3"}), {"--ranks", "3 ranks", "2"}},
      {"NoRanks", with({"--ranks", "0"}), {"--ranks", "1 to 16384", "found 0"}},
      {"RanksAsAWord", with({"--ranks", "many"}), {"--ranks", "many"}},
      {"NoSteps", with({"--steps", "0"}), {"--steps", "found 0"}},
      {"NegativeLearningRate", with({"--learning-rate", "-1"}), {"--learning-rate", "found -1"}},
      {"DecayWithinTheWarmUp", with({"--decay", "20"}), {"--decay", "warm-up's 20", "found 20"}},
      {"LowestRateAboveThePeak", with({"--lowest-rate", "2"}), {"--lowest-rate", "found 2"}},
      {"LossScaleBelowOne", with({"--loss-scale", "0.5"}), {"--loss-scale", "found 0.5"}},
      {"LossScaleWithoutTheNorm",
       with({"--loss-scale", "2"}, "unclipped.json"),
       {"parallelism.clipping", "after_reduction"}},
      {"RecipeOfAnotherType",
       with({}, "fp8.json"),
       {"parallelism.fp8", "products are in", "compute_type to fp8"}},
      {"UnknownRecipe",
       with({}, "fp8-word.json"),
       {"parallelism.fp8.scaling", "delayed, current or block", "\"mxfp8\""}},
      {"TokenWithoutMpirun", with({"--token-file", "secret"}), {"--token-file", "mpirun or srun"}},
      {"RendezvousWithoutMpirun", with({"--rendezvous", "meet"}), {"--rendezvous", "leave it out"}},
      {"FractionOfAStep",
       with({"--steps", "2.5"}),
       {"--steps: expected a whole number", "\"2.5\""}},
      {"NoDeadline", with({"--deadline", "0"}), {"--deadline", "found 0"}},
      {"UnknownDevice", with({"--device", "tpu"}), {"--device", "cpu or gpu", "\"tpu\""}},
      {"UnknownWay", with({"--device", "gpu", "--carry", "mpi"}), {"--carry", "nccl", "\"mpi\""}},
      {"UnknownCapture",
       with({"--device", "gpu", "--timeline", "t.json", "--capture", "nsys"}),
       {"--capture", "cupti or events", "\"nsys\""}},
      {"CaptureOfNothing",
       with({"--device", "gpu", "--capture", "events"}),
       {"--capture", "--timeline FILE"}},
      {"CarryOfCpus", with({"--carry", "nccl"}), {"--carry", "--device gpu"}},
      {"CpuKernelsOnGpus",
       with({"--device", "gpu", "--kernels", "onednn"}),
       {"--kernels", "leave it out"}},
      {"OneProcessOnHosts",
       with({"--one-process", "--hosts", "hosts"}),
       {"--one-process", "--hosts"}},
      {"UnknownKernels", with({"--kernels", "cuda"}), {"--kernels", "\"cuda\"", "reference"}},
      {"ThreadsForKernelsWithOne", with({"--threads", "2"}), {"--threads", "onednn", "found 2"}},
      {"ResumeFromNowhere", with({"--resume"}), {"--resume", "--checkpoint FOLDER"}},
      {"CheckpointsNowhere", with({"--checkpoint-every", "2"}), {"--checkpoint-every", "FOLDER"}},
      {"LogIntoNoDirectory", with({"--log", "no/l.jsonl"}), {"no/l.jsonl", "no such directory"}},
      {"TimelineOntoADirectory", with({"--timeline", "."}), {"--timeline", "is a directory"}},
      {"CheckpointsIntoAFile",
       with({"--checkpoint", "hosts"}),
       {"--checkpoint hosts", "is a file"}},
      {"WeightsIntoAFile", with({"--save-weights", "hosts"}), {"--save-weights hosts", "folder"}},
      {"AddressOfAnotherHost", with({"--address", "203.0.113.1"}), {"203.0.113.1", "lo 127.0.0.1"}},
      {"NoHostsFile", with({"--hosts", "no-hosts"}), {"no-hosts", "cannot be read"}},
      {"TooFewSlots", with({"--hosts", "hosts"}), {"hosts", "1 slots for 2 ranks"}},
      {"ShapeAndTopology",
       with({"--shape", "box-4-1gbit", "--topology", "ethernet-cpu-4"}),
       {"--shape", "leave out --topology"}},
      {"MachineOfAnotherSize",
       with({"--topology", "ethernet-cpu-4"}),
       {"plan.json", "2 ranks", "4 places"}},
      {"NoTokenizer", with({"--tokenizer", "nowhere"}), {"nowhere"}},
      {"TextOfFewerWordsThanBytes", with({}, "plan.json", "few-words.json"), {"256", "100"}},
      {"LongSequences", with({}, "long.json"), {"long.json", "sequence_length", "16"}},
      {"HeadsThatDoNotSplit", with({}, "split.json"), {"split.json", "parallelism.tensor"}},
      {"HalfPrecision", with({}, "fp16.json"), {"compute_type", "bf16"}},
      {"ScaledRotary", with({}, "plan.json", "scaled.json"), {"scaled.json", "rope_scaling"}},
      {"BrokenPlan", with({}, "broken.json"), {"broken.json", "line"}},
      {"UnknownKey", with({}, "unknown.json"), {"unknown.json: parallelism.tensr", "\"tensor\""}},
      {"NoWeights", with({"--weights", "nowhere"}), {"nowhere"}},
  };
  return all;
}

void write_plan(const std::filesystem::path& file, const std::string& parallelism) {
  std::ofstream(file) << R"({"parallelism": {"compute_type": "fp32", )" << parallelism << "}}";
}

void write_inputs(const std::filesystem::path& folder) {
  write_small_model(folder);
  write_plan(folder / "plan.json", R"("data": 2, "sequence_length": 16)");
  write_plan(folder / "fp8.json",
             R"("data": 2, "sequence_length": 16, "fp8": {"scaling": "block"})");
  write_plan(folder / "fp8-word.json", R"("data": 2, "sequence_length": 16, "compute_type": "fp8",
                                          "fp8": {"scaling": "mxfp8"})");
  write_plan(folder / "unclipped.json", R"("data": 2, "sequence_length": 16, "clipping": "none")");
  write_plan(folder / "long.json", R"("data": 2, "sequence_length": 17)");
  write_plan(folder / "split.json", R"("tensor": 3, "sequence_length": 16)");
  write_plan(folder / "unknown.json", R"("tensr": 2, "sequence_length": 16)");
  std::ofstream(folder / "fp16.json")
      << R"({"parallelism": {"data": 2, "sequence_length": 16, "compute_type": "fp16"}})";
  std::ofstream(folder / "broken.json") << "{\n\"parallelism\": {";
  std::ofstream(folder / "hosts") << "localhost address=lo\n";
  std::ofstream(folder / "few-words.json")
      << R"({"model_type": "gpt2", "n_layer": 2, "n_embd": 32, "n_head": 4, "n_positions": 16,
             "vocab_size": 100, "resid_pdrop": 0, "attn_pdrop": 0, "embd_pdrop": 0})";
  std::ofstream(folder / "scaled.json")
      << R"({"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 32,
             "num_attention_heads": 4, "intermediate_size": 64, "vocab_size": 256,
             "rope_scaling": {"rope_type": "yarn", "factor": 2}})";
}

class BadRuns : public testing::TestWithParam<BadRun> {};

TEST_P(BadRuns, AreRefusedWithARemedy) {
  const TemporaryFolder folder;
  write_inputs(folder.path());
  std::vector<std::string> words{"run"};
  words.insert(words.end(), GetParam().words.begin(), GetParam().words.end());
  const ProgramRun run = run_quintet(words, folder.path());
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(run.err.starts_with("quintet: ")) << run.err;
  for (const std::string& part : GetParam().says)
    EXPECT_NE(run.err.find(part), std::string::npos) << part << " is not in: " << run.err;
}

INSTANTIATE_TEST_SUITE_P(Run, BadRuns, testing::ValuesIn(rows()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace quintet::test
