// quintet replay, as a user calls it.
#include <unistd.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/json_schema.h"
#include "tests/support/run_program.h"

namespace quintet::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

// A folder with the trace of a predicted step of four ranks.
class Replay : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder =
        new fs::path(fs::path(testing::TempDir()) / ("replay-command-" + std::to_string(getpid())));
    fs::remove_all(*folder);
    fs::create_directories(*folder);
    const ProgramRun made =
        run_quintet({"simulate", "tiny-gpt-tp2-pp2", "--model", "tiny-gpt", "--topology",
                     "box-4-1gbit", "--trace", "step.json", "--trace-ranks", "0-3", "-q"},
                    *folder);
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }
  static void TearDownTestSuite() {
    fs::remove_all(*folder);
    delete folder;
  }

  static ProgramRun replay(Arguments arguments) {
    arguments.insert(arguments.begin(), "replay");
    return run_quintet(arguments, *folder);
  }
  static Json json_of(Arguments arguments) {
    arguments.emplace_back("--json");
    const ProgramRun run = replay(arguments);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return Json::parse(run.out, nullptr, false);
  }
  // What is said, on one line, when it is refused.
  static std::string refusal(const Arguments& arguments) {
    const ProgramRun run = replay(arguments);
    EXPECT_EQ(run.exit_code, 2) << run.out;
    return run.err;
  }
  static void write(const std::string& name, const std::string& text) {
    std::ofstream(*folder / name) << text;
  }

  static fs::path* folder;
};
fs::path* Replay::folder = nullptr;

TEST_F(Replay, GivesBackAStepAsItWas) {
  const Json answer = json_of({"step.json"});
  const Json schema = Json::parse(std::ifstream(QUINTET_SOURCE_DIR "/docs/schema/replay.json"));
  for (const std::string& complaint : schema_complaints(answer, schema)) ADD_FAILURE() << complaint;
  EXPECT_EQ(answer["replayed_s"], answer["recorded_s"]);
  EXPECT_EQ(answer["worst_rank_error"], 0.0);
  EXPECT_EQ(answer["ranks"], 4);
}

TEST_F(Replay, OnATenthOfTheRateIsWhatSimulateSaysOfIt) {
  const Json answer =
      json_of({"step.json", "--recorded-on", "box-4-1gbit", "--topology", "box-4-100mbit"});
  const ProgramRun other = run_quintet({"simulate", "tiny-gpt-tp2-pp2", "--model", "tiny-gpt",
                                        "--topology", "box-4-100mbit", "--json", "-q"},
                                       *folder);
  ASSERT_EQ(other.exit_code, 0) << other.err;
  const double predicted = Json::parse(other.out)["summary"][0]["step_s"];
  // Beside messages ranks compute on the cores that also move them, which a replay does not share
  // out.
  EXPECT_NEAR(answer["changed_s"].get<double>() / predicted, 1.0, 0.05);
}

TEST_F(Replay, FilesOfOthersComeBackToTheSameStep) {
  const ProgramRun written =
      replay({"step.json", "--chakra", "chakra/step", "--kineto", "kineto", "-o", "again.json"});
  ASSERT_EQ(written.exit_code, 0) << written.err;
  const Json own = json_of({"step.json"});
  for (const std::string from : {"chakra", "again.json"}) {
    SCOPED_TRACE(from);
    const Json answer = json_of({from});
    EXPECT_EQ(answer["recorded_s"], own["recorded_s"]);
    EXPECT_EQ(answer["meetings"], own["meetings"]);
  }
  // Kineto's instants are whole nanoseconds.
  const Json kineto = json_of({"kineto"});
  EXPECT_NEAR(kineto["recorded_s"].get<double>(), own["recorded_s"].get<double>(), 1e-6);
  EXPECT_EQ(kineto["ranks"], 4);
  EXPECT_LT(std::abs(kineto["step_error"].get<double>()), 0.01);
  EXPECT_LT(kineto["worst_rank_error"].get<double>(), 0.02);
}

TEST_F(Replay, TheReportIsTextAndJsonAndAPage) {
  const ProgramRun text = replay({"step.json", "--report", "--html", "report.html"});
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_TRUE(text.out.starts_with("What costs the step its time")) << text.out.substr(0, 100);
  const ProgramRun json = replay({"step.json", "--report", "--json"});
  EXPECT_FALSE(Json::parse(json.out, nullptr, false).is_discarded());
  EXPECT_GT(fs::file_size(*folder / "report.html"), 1000u);
}

TEST_F(Replay, SaysWhatIsWrongAndWhatToDo) {
  write("cut.json", "{\"schemaVersion\": 1, \"traceEvents\": [{\"ph\": \"X\", \"na");
  write("words.txt", "nothing of this is a trace\n");
  const std::vector<std::pair<Arguments, std::string>> cases{
      {{"nowhere.json"}, "nowhere.json: no such file"},
      {{"words.txt"}, "known are Quintet timeline, Kineto"},
      {{"cut.json"}, "cut"},
      {{"step.json", "step.json"}, "give one file"},
      {{"step.json", "--kernel", "nosuch=2"}, "no kernel has that in its name"},
      {{"step.json", "--kernel", "gemm"}, "such as gemm=0.5"},
      {{"step.json", "--ranks", "8"}, "name it (--topology)"},
      {{"step.json", "--ranks", "7", "--topology", "box-8-1gbit"}, "a multiple of the 4 ranks"},
      {{"step.json", "--ranks", "8", "--topology", "box-8-1gbit"}, "no collective of the trace"},
      {{"step.json", "--topology", "box-4-1gbt"}, "box-4-1gbit"},
      {{"step.json", "--slow", "host0/nic0=0.5"}, "--recorded-on"},
      {{"step.json", "-o", "step.json"}, "step.json"},
      {{"step.json", "--astra-network", "net.yml"}, "--astra-system"},
  };
  for (const auto& [arguments, expected] : cases)
    EXPECT_NE(refusal(arguments).find(expected), std::string::npos)
        << arguments.back() << ": " << refusal(arguments);
}

// Of the sample files of other programs each reads to the end, or is refused with a reason.
TEST_F(Replay, EverySampleReadsOrIsRefusedWithAReason) {
  const fs::path samples = QUINTET_SOURCE_DIR "/../shared/samples";
  if (!fs::exists(samples)) GTEST_SKIP() << "no samples beside the repository: " << samples;
  // By what is in the path: of a step, replayed; a workload, which asks for a machine; no trace at
  // all; archives, which other tests unpack.
  const std::map<std::string, std::string> expected{
      {"kineto/hta/memory_timeline", "begins as no trace"},
      {"kineto/hta/cpu_only", "records no work of a GPU"},
      {"pytorch_et/", "give it with the Kineto trace"},
      {"chakra/astra-sim", "name a machine"},
      {"readme_prometheus", "means over many calls"},
      {"simai/generated_topo", "begins as no trace"},
      {"simai/aicb/all_reduce.txt", "all_gpus"},
      {"astra-sim/network", "begins as no trace"},
      {"astra-sim/system", "begins as no trace"},
      {"astra-sim/remote_memory", "begins as no trace"},
      {"msccl.xml", "begins as no trace"},
  };
  int read = 0, refused = 0;
  for (const std::string room :
       {"kineto", "pytorch_et", "chakra", "simai", "nccl-inspector", "astra-sim"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(samples / room)) {
      if (!entry.is_regular_file()) continue;
      const std::string file = entry.path().string();
      const ProgramRun run = replay({file, "-q"});
      ASSERT_FALSE(run.timed_out) << file;
      ASSERT_TRUE(run.exit_code == 0 || run.exit_code == 2) << file << ": " << run.exit_code;
      (run.exit_code == 0 ? read : refused) += 1;
      if (run.exit_code == 0) continue;
      EXPECT_GT(run.err.size(), 40u) << file;
      // The longest that the path has decides; archives are archives.
      std::string known, reason;
      for (const auto& [part, why] : expected)
        if (file.find(part) != std::string::npos && part.size() > known.size()) {
          known = part;
          reason = why;
        }
      if (file.ends_with(".tar.gz") || file.ends_with(".tgz")) reason = "archives are to be";
      EXPECT_NE(run.err.find(reason), std::string::npos) << file << ": " << run.err;
    }
  EXPECT_GE(read, 13);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace quintet::test
