// Whatever `quintet run` is given wrongly: exit 2 before any rank is started, and a message that
// names the place, what was found and what would do.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <map>
#include <memory>

#include "tests/support/temporary_folder.h"
#include "tests/support/training_run.h"

namespace quintet::test {
namespace {

struct BadRun {
  const char* name;
  std::vector<std::string> words;  // behind `run`
  std::vector<std::string> says;
  const char* before = "";  // a command of the shell that starts it
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
       {"parallelism.loss_scaling", "after-reduction"}},
      {"RecipeOfAnotherType",
       with({}, "fp8.json"),
       {"parallelism.fp8", "products are in", "compute_type to fp8"}},
      {"UnknownRecipe",
       with({}, "fp8-word.json"),
       {"parallelism.fp8.scaling", "delayed, current, block", "\"mxfp8\""}},
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
      {"LogIntoNoDirectory",
       with({"--log", "no/l.jsonl"}),
       {"no/l.jsonl", "no such directory", "mkdir"}},
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

      // Memory. The large model has 48 layers of 12 x 1600^2 parameters and more: 23 GB in fp32
      // with gradients and moments alone; a process is given 4 GB (ulimit -v, in KiB).
      {.name = "MoreMemoryThanAProcessMayHave",
       .words = with({}, "alone.json", "large.json"),
       .says = {"memory", "GiB", "RLIMIT_AS", "3.81 GiB", "less is needed with",
                "parallelism.recompute", "--memory-check off"},
       .before = "ulimit -v 4000000"},
      {"UnknownMemoryCheck", with({"--memory-check", "of"}), {"--memory-check", "on or off", "of"}},

      // Outputs.
      {"LogOntoADirectory",
       with({"--log", "full"}),
       {"--log full", "is a directory", "name a file"}},
      {"TimelineIntoNoDirectory",
       with({"--timeline", "no/t.json"}),
       {"--timeline no/t.json", "mkdir -p no"}},
      {"LogThroughAFile", with({"--log", "hosts/l.jsonl"}), {"--log hosts/l.jsonl", "directory"}},
      {"CheckpointsUnderAFile",
       with({"--checkpoint", "hosts/kept"}),
       {"--checkpoint hosts/kept", "hosts is a file", "name another place"}},
      {"WeightsUnderAFile",
       with({"--save-weights", "hosts/kept/now"}),
       {"--save-weights hosts/kept/now", "is a file"}},
      {"CheckpointsWhereNothingCanBeMade",
       with({"--checkpoint", "/proc/kept"}),
       {"--checkpoint /proc/kept", "nothing can be written to /proc"}},
      {"LogWhereNothingCanBeMade",
       with({"--log", "/proc/l.jsonl"}),
       {"--log /proc/l.jsonl", "nothing can be written to /proc", "name another place"}},
      // 12 bytes of each of the small model's 60,000 parameters, in two shards, are above 64 KiB.
      {.name = "CheckpointsAboveTheLargestFile",
       .words = with({"--checkpoint", "kept"}),
       .says = {"--checkpoint kept", "RLIMIT_FSIZE", "ulimit -f"},
       .before = "ulimit -f 64"},

      // What the run begins with.
      {"WeightsOfAnotherModel",
       with({"--weights", "other-weights"}),
       {"other-weights", "name weights of the model"}},
      {"BrokenWeights", with({"--weights", "broken-weights"}), {"broken-weights"}},
      {"CheckpointsOfAnotherRun",
       with({"--checkpoint", "of-this"}),
       {"--checkpoint of-this", "up to step 1", "--resume", "empty folder"}},
      {"ResumeOfAnotherModel",
       with({"--checkpoint", "of-other", "--resume"}),
       {"of-other", "checkpoint of other", "not of model", "another folder"}},
      {"ResumeOfATornCheckpoint",
       with({"--checkpoint", "torn", "--resume"}),
       {"torn", "restore the folder"}},
      {"ResumeOfAChangedCheckpoint",
       with({"--checkpoint", "changed", "--resume"}),
       {"changed", "restore the folder"}},

      // Data.
      {"DataTooShort",
       with({}, "plan.json", "model.json", "short.txt"),
       {"short.txt", "holds 5 tokens", "need 17"}},
      {"TokensAboveTheVocabulary",
       with({}, "plan.json", "model.json", "foreign.bin"),
       {"foreign.bin: token 40", "300 is outside of the model's vocabulary of 256"}},
      {"HalfAToken", with({}, "plan.json", "model.json", "odd.bin"), {"odd.bin"}},
      {"FolderWithoutShards", with({}, "plan.json", "model.json", "full"), {"full", "*.bin"}},
      {"ValidationFromNowhere", with({"--validate", "nowhere.txt"}), {"--validate", "nowhere.txt"}},
      {"ValidationOfAll", with({"--validate", "1"}), {"--validate", "below 1", "\"1\""}},
      {"ValidationOfNothing", with({"--validate", "0"}), {"--validate", "above 0"}},
      // 17 tokens are one sequence of 16 and the token behind it; a share of it is all of it.
      {"ValidationLeavesNothing",
       with({"--validate", "0.5"}, "plan.json", "model.json", "seventeen.txt"),
       {"--validate", "leaves none to train on"}},
      {"ValidationTooShort",
       with({"--validate", "short.txt"}),
       {"short.txt", "holds 5 tokens", "need 17"}},
      {"ValidationOfForeignTokens",
       with({"--validate", "foreign.bin"}),
       {"foreign.bin: token 40", "vocabulary of 256"}},
      {"ValidationWithoutTokens",
       with({"--validate-every", "2"}),
       {"--validate-every", "needs --validate"}},
      {"ValidationNever",
       with({"--validate", "0.1", "--validate-every", "-1"}),
       {"--validate-every", "found -1"}},

      // Hosts and ports.
      {"HostsWithoutSlots", with({"--hosts", "bad-hosts"}), {"bad-hosts", "slots"}},
      {"EmptyHostsFile", with({"--hosts", "no-lines"}), {"no-lines"}},
      {"UnknownInterface", with({"--address", "eth77"}), {"eth77"}},
      {"EmptySsh", with({"--ssh", " "}), {"--ssh", "expected a command"}},
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
  std::ofstream(folder / "fp8-word.json")
      << R"({"parallelism": {"data": 2, "sequence_length": 16, "compute_type": "fp8",
                             "fp8": {"scaling": "mxfp8"}}})";
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

void write_tokens(const std::filesystem::path& file, int count, int odd_one) {
  std::ofstream out(file, std::ios::binary);
  for (int token = 0; token < count; ++token) {
    const int value = token == 40 ? odd_one : token % 256;
    out.put(static_cast<char>(value & 255)).put(static_cast<char>(value >> 8));
  }
}

void write_data(const std::filesystem::path& folder) {
  std::filesystem::create_directory(folder / "full");
  std::ofstream(folder / "short.txt") << "short";
  std::ofstream(folder / "seventeen.txt") << "seventeen letters";
  write_tokens(folder / "foreign.bin", 100, 300);
  std::ofstream(folder / "odd.bin") << "odd";
  std::ofstream(folder / "bad-hosts") << "localhost slots=many address=lo\n";
  std::ofstream(folder / "no-lines") << "# nothing\n";
  write_plan(folder / "alone.json", R"("sequence_length": 16)");
  std::ofstream(folder / "large.json")
      << R"({"model_type": "gpt2", "n_layer": 48, "n_embd": 1600, "n_head": 25, "n_positions": 1024,
             "vocab_size": 50257, "resid_pdrop": 0, "attn_pdrop": 0, "embd_pdrop": 0})";
}

// In the middle of the only shard of the only step.
void change_a_byte(const std::filesystem::path& kept) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kept))
    if (entry.path().extension() == ".shard") {
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(entry.file_size() / 2));
      const int there = file.peek();
      file.put(static_cast<char>(there ^ 1));
    }
}

void cut_in_half(const std::filesystem::path& kept) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kept))
    if (entry.path().extension() == ".shard")
      std::filesystem::resize_file(entry.path(), entry.file_size() / 2);
}

class BadRuns : public testing::TestWithParam<BadRun> {
 protected:
  // What other runs left: a checkpoint of this model, one of another with its weights, and spoilt
  // copies. Made once, by runs of a step.
  static void SetUpTestSuite() {
    namespace fs = std::filesystem;
    left_ = std::make_unique<TemporaryFolder>();
    const fs::path folder = left_->path();
    write_small_model(folder);
    write_data(folder);
    std::ofstream(folder / "other.json")
        << R"({"model_type": "gpt2", "n_layer": 4, "n_embd": 64, "n_head": 4, "n_positions": 16,
               "vocab_size": 256, "resid_pdrop": 0, "attn_pdrop": 0, "embd_pdrop": 0})";
    for (const auto& [model, kept] :
         {std::pair{"model.json", "of-this"}, {"other.json", "of-other"}}) {
      const ProgramRun run =
          run_quintet({"run", "alone.json", "--model", model, "--data", "text.txt", "--steps", "1",
                       "--checkpoint", kept, "--save-weights", "other-weights"},
                      folder);
      ASSERT_EQ(run.exit_code, 0) << run.err;
    }
    for (const char* const spoilt : {"torn", "changed"})
      fs::copy(folder / "of-this", folder / spoilt, fs::copy_options::recursive);
    cut_in_half(folder / "torn");
    change_a_byte(folder / "changed");
    fs::create_directory(folder / "broken-weights");
    std::ofstream(folder / "broken-weights/model.safetensors") << "no weights";
  }
  static void TearDownTestSuite() { left_.reset(); }

  static inline std::unique_ptr<TemporaryFolder> left_;
};

// Every file with its size, whatever was there before.
std::map<std::string, std::uintmax_t> listing(const std::filesystem::path& folder) {
  std::map<std::string, std::uintmax_t> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    files[entry.path().string()] = entry.is_regular_file() ? entry.file_size() : 0;
  return files;
}

// 5 s of a core; a process of this much address space has 1 GB at most.
TEST_P(BadRuns, AreRefusedWithARemedy) {
  const bool limited = *GetParam().before != '\0';
  if (sanitized && std::string(GetParam().before).starts_with("ulimit -v"))
    GTEST_SKIP() << "a sanitizer needs more addresses than this limit leaves";
  const TemporaryFolder folder;
  std::filesystem::copy(
      left_->path(), folder.path(),
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
  write_inputs(folder.path());
  const auto before = listing(folder.path());
  std::string line = limited ? GetParam().before : sanitized ? "true" : "ulimit -v 8000000";
  line += "; quintet run";
  for (const std::string& word : GetParam().words) line += " '" + word + "'";
  const ProgramRun run = run_shell(line, folder.path());
  EXPECT_LT(run.cpu_seconds, sanitized ? 50 : 5);
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(run.err.starts_with("quintet: ")) << run.err;
  EXPECT_EQ(listing(folder.path()), before) << "something was left behind";
  for (const std::string& part : GetParam().says)
    EXPECT_NE(run.err.find(part), std::string::npos) << part << " is not in: " << run.err;
}

INSTANTIATE_TEST_SUITE_P(Run, BadRuns, testing::ValuesIn(rows()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace quintet::test
