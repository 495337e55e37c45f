// What `quintet simulate` answers first, of one plan and of many, and what it does not say.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/sim/command/bad_input.h"
#include "tests/support/json_schema.h"
#include "tests/support/run_program.h"

namespace quintet::test {
namespace {

using Json = nlohmann::json;

Json schema() {
  return Json::parse(std::ifstream(QUINTET_SOURCE_DIR "/docs/schema/simulate.json"));
}

void expect_valid(const ProgramRun& run) {
  const Json json = Json::parse(run.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << run.out << run.err;
  for (const std::string& complaint : schema_complaints(json, schema())) ADD_FAILURE() << complaint;
}

Arguments on_h100(const std::string& plan, const Arguments& further = {}) {
  Arguments all{"simulate", plan, "--model", "llama-3-70b", "--topology", "dgx-h100-1024"};
  all.insert(all.end(), further.begin(), further.end());
  return all;
}

// With as many plans in place of the one: GPT-2 on one DGX A100.
Arguments of_plans(const Arguments& plans, const Arguments& further = {}) {
  Arguments all = on_machine(further);
  all.erase(all.begin() + 1);
  all.insert(all.begin() + 1, plans.begin(), plans.end());
  return all;
}

// plan.json again under other names, with micro-batches of so many sequences.
Arguments write_plans(const World& world, const std::vector<int>& micro_batches) {
  Arguments files;
  for (const int micro_batch : micro_batches) {
    Json plan = Json::parse(world.read("plan.json"));
    plan["name"] = "of-" + std::to_string(micro_batch);
    plan["parallelism"]["micro_batch"] = micro_batch;
    files.push_back("of-" + std::to_string(micro_batch) + ".json");
    world.write(files.back(), plan.dump());
  }
  return files;
}

// 1,024 sequences of 8,192 tokens are 8,388,608 tokens.
TEST(Head, SaysWhatWasAskedOfAPlan) {
  const World world;
  const ProgramRun run =
      run_quintet(on_h100("llama-3-70b-1024-h100-tp8-pp4", {"--stack", "nemo"}), world.folder());
  for (const char* const line :
       {"\n  layout     TP 8 x PP 4 x DP 32 on 1,024 H100-SXM-80GB in 128 hosts; 1f1b",
        "\n  batch      1,024 sequences of 8,192 tokens: 8.39 million tokens a step",
        " ms; 90 % of such steps take ", "published steps of NeMo",
        "\n  memory     fits: ", "\n  rests on   "})
    EXPECT_NE(run.out.find(line), std::string::npos) << line << "\n" << run.out;
  EXPECT_LT(run.out.find("  layout"), run.out.find("Where the time"));
}

TEST(Head, HasAnIntervalAroundTheStepAndSaysOnWhatItRests) {
  const World world;
  const Json json = Json::parse(
      run_quintet(on_h100("llama-3-70b-1024-h100-tp8-pp4", {"--json"}), world.folder()).out);
  const Json& summary = json["summary"][0];
  EXPECT_LT(summary["interval"]["low_s"], summary["step_s"]);
  EXPECT_GT(summary["interval"]["high_s"], summary["step_s"]);
  EXPECT_NE(summary["interval"]["rests_on"].get<std::string>().find("no --stack named"),
            std::string::npos);
  // The cost table itself knows no errors: no interval without a width.
  EXPECT_EQ(json["intervals"][0]["low_s"], nullptr);
}

// 15e12 / 8,388,608 = 1,788,139.3.
TEST(Run, OfSoManyTokensHasDaysAndEnergy) {
  const World world;
  const Arguments asked = on_h100("llama-3-70b-1024-h100-tp8-pp4", {"--tokens", "15T", "--json"});
  const Json summary = Json::parse(run_quintet(asked, world.folder()).out)["summary"][0];
  EXPECT_EQ(summary["run"]["steps"], 1'788'140);
  EXPECT_NEAR(summary["run"]["time_s"], 1'788'140 * summary["step_s"].get<double>(), 1);
  EXPECT_NEAR(summary["run"]["energy_j"], 1'788'140 * summary["energy_per_step_j"].get<double>(),
              1e6);
  const ProgramRun text =
      run_quintet(on_h100("llama-3-70b-1024-h100-tp8-pp4", {"--tokens", "15T"}), world.folder());
  EXPECT_NE(text.out.find("\n  run        15 trillion tokens: 1,788,140 steps, "),
            std::string::npos)
      << text.out;
}

TEST(Run, OfWordsIsRefused) {
  const World world;
  const ProgramRun run = run_quintet(on_machine({"--tokens", "plenty"}), world.folder());
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("--tokens: expected a number of tokens such as 15T"), std::string::npos)
      << run.err;
}

TEST(BadPlan, AmongOthersIsReportedAndTheOthersAnswered) {
  const World world;
  world.write("bad.json", R"({"name": "bad", "parallelism": {"tensor": 3}})");
  world.write("no.json", "{");
  const Arguments plans{"bad.json", "plan.json", "no.json"};
  const ProgramRun run = run_quintet(of_plans(plans), world.folder());
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.out.find("gpt2-tp4-dp2\n  layout "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("Not answered: bad.json"), std::string::npos) << run.out;
  EXPECT_NE(run.err.find("no.json"), std::string::npos) << run.err;
  const ProgramRun json = run_quintet(of_plans(plans, {"--json"}), world.folder());
  EXPECT_EQ(json.exit_code, 2);
  expect_valid(json);
  EXPECT_EQ(Json::parse(json.out)["errors"].size(), 2);
  EXPECT_EQ(Json::parse(json.out)["summary"].size(), 1);
}

TEST(BadPlan, AloneIsAnErrorAndAJsonErrorWhereAsked) {
  const World world;
  world.replace("plan.json", "\"tensor\": 4", "\"tensor\": 3");
  EXPECT_EQ(run_quintet(on_machine(), world.folder()).out, "");
  const ProgramRun run = run_quintet(on_machine({"--json"}), world.folder());
  EXPECT_EQ(run.exit_code, 2);
  expect_valid(run);
  const Json error = Json::parse(run.out)["errors"][0];
  EXPECT_NE(error["where"].get<std::string>().find("plan.json"), std::string::npos) << error;
  EXPECT_NE(run.err.find("plan.json"), std::string::npos);
}

TEST(JsonError, IsOfTheCommandLineToo) {
  const World world;
  const ProgramRun run = run_quintet(on_machine({"--json", "--topolgy", "x"}), world.folder());
  EXPECT_EQ(run.exit_code, 2);
  expect_valid(run);
  EXPECT_NE(run.out.find("did you mean"), std::string::npos) << run.out;
}

// A micro-batch of 64 sequences keeps 64 times the activations of one.
TEST(Comparison, HasWhatDoesNotFitLastAndMarked) {
  const World world;
  world.replace("hosts/dgx-a100.json", "\"memory\": \"80 GiB\"", "\"memory\": \"10 GiB\"");
  const Arguments plans = write_plans(world, {64, 1});
  const ProgramRun run = run_quintet(of_plans(plans), world.folder());
  EXPECT_EQ(run.exit_code, 1) << run.err;
  EXPECT_NE(run.out.find("64 (does not fit)"), std::string::npos) << run.out;
  EXPECT_LT(run.out.find("of-1\n"), run.out.find("of-64\n")) << run.out;
  const Json json = Json::parse(run_quintet(of_plans(plans, {"--json"}), world.folder()).out);
  EXPECT_EQ(json["summary"][0]["place"], nullptr);
  EXPECT_EQ(json["summary"][1]["place"], 1);
  EXPECT_EQ(json["summary"][0]["memory_verdict"], "does not fit");
}

TEST(Comparison, OfSixPlansIsRowsTheFastestFirst) {
  const World world;
  const Arguments plans = write_plans(world, {6, 1, 5, 2, 4, 3});
  const ProgramRun run = run_quintet(of_plans(plans), world.folder());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  std::vector<std::size_t> places;
  for (const char* const line : {"1  1 ", "2  2 ", "3  3 ", "4  4 ", "5  5 ", "6  6 "})
    places.push_back(run.out.find(std::string("\n") + line));
  EXPECT_TRUE(std::is_sorted(places.begin(), places.end())) << run.out;
  EXPECT_NE(places.back(), std::string::npos) << run.out;
  const ProgramRun csv = run_quintet(of_plans(plans, {"--csv"}), world.folder());
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 7) << csv.out;
  EXPECT_NE(csv.out.find("\nof-6,4,1,2,"), std::string::npos) << csv.out;
}

TEST(Impossible, MfuIsLeftOutAndExplained) {
  const World world;
  world.replace("hosts/dgx-a100.json", "\"bf16\": \"312 TFLOP/s\"", "\"bf16\": \"1 TFLOP/s\"");
  const ProgramRun run = run_quintet(on_machine(), world.folder());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out.find(" MFU, "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("MFU is left out"), std::string::npos) << run.out;
  const ProgramRun json = run_quintet(on_machine({"--json"}), world.folder());
  expect_valid(json);
  EXPECT_EQ(Json::parse(json.out)["summary"][0]["mfu"], nullptr);
}

// 1e7 seconds a pass are 116 days.
TEST(Impossible, TimesBeyondTheClockAreNoAnswer) {
  const World world;
  for (int stage = 0; stage < 4; ++stage)
    world.replace("chain_costs.json", "\"forward\": \"10 ms\"", "\"forward\": \"10000000 s\"");
  const ProgramRun run = run_quintet(on_chain(), world.folder());
  EXPECT_EQ(run.exit_code, 2) << run.out;
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find("106.8 days"), std::string::npos) << run.err;
}

TEST(Schema, HoldsForEveryShippedPlan) {
  const World world;
  const std::vector<Arguments> runs{
      on_h100("llama-3-70b-1024-h100-tp8-pp4", {"--tokens", "15T", "--json"}),
      on_h100("llama-3-70b-1024-h100-zero3", {"--json"}),
      {"simulate", "korthikanti-gpt-22b", "--model", "korthikanti-22b", "--topology", "selene-a100",
       "--hosts", "1", "--json"},
      {"simulate", "korthikanti-gpt-175b", "--model", "gpt-3-175b", "--topology", "selene-a100",
       "--hosts", "8", "--stack", "megatron-lm-2022", "--json"},
      {"simulate", "toy-pipeline-1f1b", "toy-pipeline-warm-up", "--model", "toy-pipeline",
       "--topology", "pipeline-4-20ms", "--costs", "toy-pipeline", "--json"},
      on_machine({"--json", "--assumptions"})};
  for (const Arguments& arguments : runs) {
    const ProgramRun run = run_quintet(arguments, world.folder());
    EXPECT_LE(run.exit_code, 1) << arguments[1] << run.err;
    expect_valid(run);
  }
}

TEST(Schema, RefusesWhatItDoesNotKnow) {
  const World world;
  Json json = Json::parse(run_quintet(on_machine({"--json"}), world.folder()).out);
  ASSERT_TRUE(schema_complaints(json, schema()).empty());
  json["summary"][0]["mfu"] = 1.5;
  EXPECT_FALSE(schema_complaints(json, schema()).empty());
  json["summary"][0]["mfu"] = 0.5;
  json["surprise"] = 1;
  EXPECT_FALSE(schema_complaints(json, schema()).empty());
}

TEST(Assumptions, AreNamedWhenAskedFor) {
  const World world;
  const ProgramRun run = run_quintet(on_machine({"--assumptions"}), world.folder());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("\n  moved by   "), std::string::npos) << run.out;
  EXPECT_EQ(run_quintet(on_machine(), world.folder()).out.find("moved by"), std::string::npos);
}

TEST(PackedTrace, OpensAsTheTraceThatItPacks) {
  const World world;
  for (const char* const file : {"plain.json", "packed.json.gz", "packed.json.zst"})
    EXPECT_EQ(run_quintet(on_machine({"--trace", file, "-q"}), world.folder()).exit_code, 0);
  const ProgramRun gzip = run_shell("gzip -dc packed.json.gz | cmp - plain.json", world.folder());
  EXPECT_EQ(gzip.exit_code, 0) << gzip.out << gzip.err;
  EXPECT_LT(std::filesystem::file_size(world.folder() / "packed.json.zst"),
            std::filesystem::file_size(world.folder() / "plain.json") / 5);
  const ProgramRun same =
      run_quintet({"compare", "packed.json.gz", "packed.json.zst"}, world.folder());
  EXPECT_EQ(same.exit_code, 0) << same.err;
}

TEST(PackedTrace, OfSeveralPlansKeepsBothEndings) {
  const World world;
  Arguments plans = write_plans(world, {1, 2});
  const ProgramRun run = run_quintet(of_plans(plans, {"--trace", "step.json.gz"}), world.folder());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(std::filesystem::exists(world.folder() / "step-of-2.json.gz"));
}

// Eight ranks that are alike are one track unless each is asked for.
TEST(TraceRanks, ShowsThoseAskedFor) {
  const World world;
  const ProgramRun run = run_quintet(
      on_machine({"--trace", "step.json", "--trace-ranks", "5,0-1", "-q"}), world.folder());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const Json trace = Json::parse(std::ifstream(world.folder() / "step.json"));
  std::vector<int> ranks;
  for (const Json& track : trace["quintetTracks"]) ranks.push_back(track["rank"]);
  EXPECT_EQ(ranks, (std::vector<int>{5, 0, 1}));
}

TEST(TraceRanks, ThatThePlanHasNotAreRefused) {
  const World world;
  const ProgramRun run =
      run_quintet(on_machine({"--trace", "step.json", "--trace-ranks", "8"}), world.folder());
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("ranks 0 to 7, found 8"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace quintet::test
