// What `quintet simulate` and `quintet topology` print, for people and for programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/sim/command/bad_input.h"
#include "tests/support/run_program.h"

namespace quintet::test {
namespace {

using Json = nlohmann::json;

const Arguments two_plans{"simulate",
                          "llama-3-70b-1024-h100-tp8-pp4",
                          "llama-3-70b-1024-h100-zero3",
                          "--model",
                          "llama-3-70b",
                          "--topology",
                          "dgx-h100-1024"};

Arguments with(Arguments arguments, const Arguments& further) {
  arguments.insert(arguments.end(), further.begin(), further.end());
  return arguments;
}

Json parsed(const ProgramRun& run) {
  EXPECT_EQ(run.exit_code, 0) << run.err;
  Json json = Json::parse(run.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << run.out;
  return json;
}

std::int64_t sum_of_parts(const Json& plan) {
  std::int64_t sum = 0;
  for (const char* const part : {"compute", "bubble", "waiting", "copy", "host", "idle"})
    sum += plan[part].get<std::int64_t>();
  for (const Json& axis : plan["exposed"]) sum += axis.get<std::int64_t>();
  return sum;
}

std::int64_t sum_of_operators(const Json& plan) {
  std::int64_t sum = 0;
  for (const Json& each : plan["operators"]) sum += each["time"].get<std::int64_t>();
  return sum;
}

long lines_in(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

// From the heading to the blank line after it.
std::string section(const std::string& text, const std::string& heading) {
  const std::size_t begin = text.find(heading);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find("\n\n", begin) + 1 - begin);
}

TEST(JsonReport, HasPartsThatSumToTheStepToThePicosecond) {
  const World world;
  const Json report = parsed(run_quintet(with(two_plans, {"--json"}), world.folder()));
  EXPECT_EQ(report["schema_version"], 2);
  ASSERT_EQ(report["breakdown"].size(), 2);
  for (const Json& plan : report["breakdown"]) {
    EXPECT_GT(plan["step"].get<std::int64_t>(), 0);
    EXPECT_EQ(sum_of_parts(plan), plan["step"].get<std::int64_t>());
    EXPECT_EQ(sum_of_operators(plan), plan["compute"].get<std::int64_t>());
  }
}

TEST(JsonReport, HasAnEntryPerPlanInEverySection) {
  const World world;
  const Json report = parsed(run_quintet(with(two_plans, {"--json"}), world.folder()));
  for (const char* const key : {"summary", "breakdown", "memory", "busiest_links"}) {
    ASSERT_EQ(report[key].size(), 2) << key;
    EXPECT_EQ(report[key][0]["name"], two_plans[1]);
    EXPECT_EQ(report[key][1]["name"], two_plans[2]);
  }
}

TEST(JsonReport, IsTheSameBytesEveryTime) {
  const World world;
  const ProgramRun first = run_quintet(with(two_plans, {"--json"}), world.folder());
  const ProgramRun second = run_quintet(with(two_plans, {"--json"}), world.folder());
  EXPECT_NE(first.out, "");
  EXPECT_EQ(first.out, second.out);
}

TEST(JsonReport, IsTheSameBytesUnfolded) {
  const World world;
  const ProgramRun folded = run_quintet(on_machine({"--json"}), world.folder());
  const ProgramRun unfolded = run_quintet(on_machine({"--json", "--unfolded"}), world.folder());
  EXPECT_NE(folded.out, "");
  EXPECT_EQ(folded.out, unfolded.out);
}

// A name of Latin-1 bytes comes from the file system, so no reader has refused it.
TEST(JsonReport, ParsesWhateverAFileIsCalled) {
  const World world;
  world.replace("plan.json", "\"name\": \"gpt2-tp4-dp2\",", "");
  std::filesystem::rename(world.folder() / "plan.json", world.folder() / "pl\xE4n.json");
  Arguments arguments = on_machine({"--json"});
  arguments[1] = "pl\xE4n.json";
  parsed(run_quintet(arguments, world.folder()));
}

TEST(JsonTopology, Parses) {
  const World world;
  const Json json = parsed(
      run_quintet({"topology", "machine.json", "--json", "--path", "host0/gpu0", "host0/gpu7"},
                  world.folder()));
  EXPECT_EQ(json["schema_version"], 1);
}

TEST(Quiet, SaysNothingOnTheStandardError) {
  const World world;
  const ProgramRun quiet =
      run_quintet(on_machine({"--quiet", "--trace", "step.json"}), world.folder());
  EXPECT_EQ(quiet.exit_code, 0);
  EXPECT_EQ(quiet.err, "");
  const ProgramRun usual = run_quintet(on_machine({"--trace", "step.json"}), world.folder());
  EXPECT_NE(usual.err.find("Predicted 1 plan in"), std::string::npos);
  EXPECT_NE(usual.err.find("step.json"), std::string::npos);
  EXPECT_EQ(usual.out, quiet.out);
}

// The reader went away: the shell's convention for SIGPIPE (13) is no crash, nor is success.
TEST(ClosedPipe, IsNoCrash) {
  const World world;
  for (const char* const verb :
       {"simulate plan.json --model model.json --topology machine.json --json",
        "topology dgx-h100-1024", "completion", "--help"}) {
    const std::string line = std::string("quintet ") + verb + " 2>err.txt | head -1 >first.txt; " +
                             "code=${PIPESTATUS[0]}; cat err.txt >&2; exit $code";
    const ProgramRun run = run_shell(line, world.folder());
    EXPECT_TRUE(run.exit_code == 0 || run.exit_code == 128 + 13) << verb << ": " << run.exit_code;
    EXPECT_EQ(run.err.find("Sanitizer"), std::string::npos) << run.err;
  }
}

TEST(Memory, ThatDoesNotSufficeIsAnAnswerNotAnError) {
  const World world;
  world.replace("hosts/dgx-a100.json", "\"memory\": \"80 GiB\"", "\"memory\": \"1 GiB\"");
  const ProgramRun run = run_quintet(on_machine(), world.folder());
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.out.find("\ndoes not fit: "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("GiB too much"), std::string::npos) << run.out;
  const ProgramRun json = run_quintet(on_machine({"--json"}), world.folder());
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_EQ(Json::parse(json.out)["memory"][0]["verdict"], "does not fit");
}

// Eight stages of a layer each: heading, column names, first and last stage, verdict. The last has
// the logits of 50257 words, so it is the fullest.
TEST(Memory, OfABackwardInTwoPassesSaysThatItIsTheMost) {
  const std::string bound = "At most so much: all that forward kept is counted until W";
  const World world;
  world.replace("model.json", "\"n_layer\": 12", "\"n_layer\": 8");
  world.replace("plan.json", "\"tensor\": 4,\n    \"data\": 2", "\"pipeline\": 8");
  EXPECT_EQ(run_quintet(on_machine(), world.folder()).out.find(bound), std::string::npos);
  world.replace("plan.json", "\"1f1b\"", "\"zb-h1\"");
  const ProgramRun apart = run_quintet(on_machine(), world.folder());
  EXPECT_NE(apart.out.find(bound), std::string::npos) << apart.out << apart.err;
}

TEST(Memory, OfManyStagesIsShortUnlessAskedFor) {
  const World world;
  world.replace("model.json", "\"n_layer\": 12", "\"n_layer\": 8");
  world.replace("plan.json", "\"tensor\": 4,\n    \"data\": 2", "\"pipeline\": 8");
  const std::string heading = "Memory of a GPU";
  const ProgramRun shortly = run_quintet(on_machine(), world.folder());
  const std::string few = section(shortly.out, heading);
  EXPECT_EQ(lines_in(few), 5) << few;
  EXPECT_NE(few.find("2 of 8 stages"), std::string::npos) << few;
  EXPECT_NE(few.find("(stage 7)"), std::string::npos) << few;
  const ProgramRun whole = run_quintet(on_machine({"--memory"}), world.folder());
  EXPECT_EQ(lines_in(section(whole.out, heading)), 1 + 1 + 8 + 1);
}

TEST(TextReport, FitsIntoAHundredColumns) {
  const World world;
  const ProgramRun run = run_quintet(two_plans, world.folder());
  std::size_t begin = 0;
  for (std::size_t end = run.out.find('\n'); end != std::string::npos;
       begin = end + 1, end = run.out.find('\n', begin))
    EXPECT_LE(end - begin, 100) << run.out.substr(begin, end - begin);
}

TEST(Traces, OfSeveralPlansAreNamedAfterThem) {
  const World world;
  const ProgramRun run = run_quintet(
      {"simulate", "toy-pipeline-1f1b", "toy-pipeline-warm-up", "--model", "toy-pipeline",
       "--topology", "pipeline-4", "--costs", "toy-pipeline", "--trace", "step.json"},
      world.folder());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const char* const file : {"step-toy-pipeline-1f1b.json", "step-toy-pipeline-warm-up.json"}) {
    std::ifstream in(world.folder() / file);
    EXPECT_TRUE(Json::parse(in)["traceEvents"].is_array()) << file;
  }
}

// The toy pipeline of PipeMorph, four stages, 12 micro-batches, 10 ms a pass (arXiv 2504.19232):
// 390, 400 and 440 ms when a message takes 0, 10 and 20 ms.
TEST(ToyPipeline, TakesThePublishedTimes) {
  const World world;
  const std::vector<std::pair<const char*, std::int64_t>> rows{
      {"pipeline-4", 390}, {"pipeline-4-10ms", 400}, {"pipeline-4-20ms", 440}};
  for (const auto& [machine, milliseconds] : rows) {
    const Json report =
        parsed(run_quintet({"simulate", "toy-pipeline-warm-up", "--model", "toy-pipeline",
                            "--topology", machine, "--costs", "toy-pipeline", "--json"},
                           world.folder()));
    // 16 bytes take 0.16 ps on wires of 100 TB/s, which rounds to nothing.
    EXPECT_EQ(report["breakdown"][0]["step"].get<std::int64_t>(), milliseconds * 1'000'000'000)
        << machine;
  }
}

// The residual of each half layer is an operator of its own, or part of the norm behind it.
TEST(Stack, SaysWhatTheSoftwareFuses) {
  const World world;
  const Arguments program{"simulate",   "plan.json",    "--model",        "model.json",
                          "--topology", "machine.json", "--print-program"};
  const ProgramRun usual = run_quintet(program, world.folder());
  const ProgramRun fused = run_quintet(with(program, {"--stack", "llm.c"}), world.folder());
  EXPECT_NE(usual.out.find("attention_residual forward"), std::string::npos);
  EXPECT_EQ(fused.exit_code, 0) << fused.err;
  EXPECT_EQ(fused.out.find("attention_residual forward"), std::string::npos);
}

TEST(Stack, ThatIsNotKnownIsRefusedWithThoseThatAre) {
  const World world;
  const ProgramRun run = run_quintet({"simulate", "plan.json", "--model", "model.json",
                                      "--topology", "machine.json", "--stack", "llm.d"},
                                     world.folder());
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("did you mean \"llm.c\"?"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace quintet::test
