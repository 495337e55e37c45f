// quintet plan and quintet schema.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <string>

#include "tests/sim/command/bad_input.h"
#include "tests/support/run_program.h"

namespace quintet::test {
namespace {

using Json = nlohmann::json;

const Arguments machine{"--model",      "model.json", "--topology",
                        "machine.json", "--costs",    "costs.json"};

ProgramRun plan(const World& world, Arguments arguments, const Arguments& further = machine) {
  arguments.insert(arguments.begin(), "plan");
  arguments.insert(arguments.end(), further.begin(), further.end());
  return run_quintet(arguments, world.folder());
}

TEST(PlanNew, FitsAndIsReadAgain) {
  const World world;
  const ProgramRun made = plan(world, {"new", "--global-batch", "64", "-o", "new.json"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_NE(made.err.find("fits"), std::string::npos) << made.err;
  const Json parallelism = Json::parse(world.read("new.json")).at("parallelism");
  // GPT-2 fits on one GPU, so that eight are replicas; its table has 1024 positions.
  EXPECT_EQ(parallelism.at("data"), 8);
  EXPECT_EQ(parallelism.at("sequence_length"), 1024);
  EXPECT_EQ(parallelism.at("micro_batches"), 8);  // 64 / 8
  EXPECT_EQ(plan(world, {"check", "new.json"}).exit_code, 0);
}

// As the GPU shrinks, a replica takes more of them.
TEST(PlanNew, SplitsWhatDoesNotFit) {
  const World world;
  world.replace("hosts/dgx-a100.json", "\"80 GiB\"", "\"3 GiB\"");
  const ProgramRun made = plan(world, {"new", "--global-batch", "64", "-o", "new.json"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  const Json parallelism = Json::parse(world.read("new.json")).at("parallelism");
  EXPECT_GT(parallelism.at("tensor").get<int>() * parallelism.at("pipeline").get<int>(), 1);
  world.replace("hosts/dgx-a100.json", "\"3 GiB\"", "\"100 MiB\"");
  const ProgramRun none = plan(world, {"new", "--global-batch", "64"});
  EXPECT_EQ(none.exit_code, 1) << none.err;
  EXPECT_NE(none.err.find("does not fit"), std::string::npos) << none.err;
}

TEST(PlanNew, KeepsWhatIsAsked) {
  const World world;
  const ProgramRun made = plan(world, {"new", "--tensor", "2", "--recompute", "full"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  const Json parallelism = Json::parse(made.out).at("parallelism");
  EXPECT_EQ(parallelism.at("tensor"), 2);
  EXPECT_EQ(parallelism.at("recompute"), "full");
}

// GPT-2 on eight GPUs of one host: with a curve of all gradients that needs fewer steps, and one of
// Random that needs more; over slow links the order turns.
TEST(PlanReplicator, ChoosesByTheLink) {
  const World world;
  world.write("losses.json", R"({"name": "made up", "curves": [
    {"name": "all", "optimizer": "adamw", "replicator": {"kind": "full"},
     "steps": [10, 20], "losses": [4, 3]},
    {"name": "few", "optimizer": "sgd", "clipping": "none",
     "replicator": {"kind": "random", "rate": 0.01},
     "steps": [10, 60], "losses": [4, 3]}]})");
  const Arguments asked{"replicator", "plan.json", "--losses", "losses.json", "--tensor",   "1",
                        "--pipeline", "1",         "--data",   "8",           "--clipping", "none",
                        "--sharding", "none",      "-o",       "chosen.json", "--sp=false"};
  const ProgramRun fast = plan(world, asked);
  ASSERT_EQ(fast.exit_code, 0) << fast.err;
  EXPECT_LT(fast.out.find("all "), fast.out.find("few ")) << fast.out;
  world.replace("hosts/dgx-a100.json", "\"300 GB/s\"", "\"1 GB/s\"");
  const ProgramRun slow = plan(world, asked);
  ASSERT_EQ(slow.exit_code, 0) << slow.err;
  EXPECT_GT(slow.out.find("all "), slow.out.find("few ")) << slow.out;
  const Json chosen = Json::parse(world.read("chosen.json")).at("parallelism");
  EXPECT_EQ(chosen.at("replicator").at("kind"), "random");
  EXPECT_EQ(chosen.at("optimizer"), "sgd");
}

TEST(PlanReplicator, AsksForCurves) {
  const World world;
  const ProgramRun without = plan(world, {"replicator", "plan.json"});
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_NE(without.err.find("--losses"), std::string::npos) << without.err;
}

TEST(PlanCheck, SaysAllProblemsAndMemory) {
  const World world;
  const ProgramRun good = plan(world, {"check", "plan.json"});
  EXPECT_EQ(good.exit_code, 0) << good.err;
  EXPECT_NE(good.out.find("fits: "), std::string::npos) << good.out;
  world.replace("plan.json", "\"tensor\": 4", "\"tensor\": 5");
  const ProgramRun bad = plan(world, {"check", "plan.json"});
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_NE(bad.out.find("multiply to 10 ranks"), std::string::npos) << bad.out;
  EXPECT_NE(bad.out.find("12 attention heads cannot be split over 5"), std::string::npos)
      << bad.out;
  EXPECT_EQ(plan(world, {"check", "plan.json", "--tensor", "4", "--data", "2", "--set",
                         "host.gpu.memory=1GiB"})
                .exit_code,
            1);
  EXPECT_EQ(plan(world, {"check", "nothing.json"}).exit_code, 2);
}

// A micro-batch has 2 reductions in each of 12 layers and one of the embedding, of 1024 x 768 bf16;
// a step has 4 of them, and a rank of 4 sends 2 x 3/4 of each.
TEST(PlanExplain, CountsWhatIsSent) {
  const World world;
  const ProgramRun run = plan(world, {"explain", "plan.json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("tensor 4: each layer's matrices are split over 4 ranks"),
            std::string::npos)
      << run.out;
  EXPECT_NE(run.out.find("8 sequences of 1024 tokens"), std::string::npos) << run.out;
  bool found = false;
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);)
    if (line.find("block's partial outputs") != std::string::npos) {
      found = true;
      EXPECT_NE(line.find("  100   1.57 MB"), std::string::npos) << line;
      EXPECT_NE(line.find("235.93 MB"), std::string::npos) << line;
      EXPECT_NE(line.find("one host"), std::string::npos) << line;
    }
  EXPECT_TRUE(found) << run.out;
  // Gradients leave under backward, unless the plan says otherwise.
  EXPECT_NE(run.out.find("gradients, over replicas"), std::string::npos) << run.out;
}

TEST(PlanDiff, KnowsDefaults) {
  const World world;
  world.write("same.json", R"({"parallelism": {"tensor": 4, "data": 2, "sequence_length": 1024,
      "pipeline": 1, "micro_batches": 4, "recompute": "none"}, "ccl": {"bucket": "25 MB"}})");
  EXPECT_EQ(plan(world, {"diff", "plan.json", "same.json"}, {}).out, "They say the same.\n");
  world.replace("same.json", "\"none\"", "\"full\"");
  const ProgramRun run = plan(world, {"diff", "plan.json", "same.json"}, {});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("parallelism.recompute"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("parallelism.tensor"), std::string::npos) << run.out;
}

TEST(PlanFieldsVerb, ListsALayer) {
  const World world;
  const ProgramRun run = plan(world, {"fields", "parallelism"}, {});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("parallelism.tensor  [1]"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("one of gpipe, 1f1b"), std::string::npos) << run.out;
  for (const char* const layer : {"ccl", "host", "network", "costs", "topology"})
    EXPECT_EQ(plan(world, {"fields", layer}, {}).exit_code, 0) << layer;
  EXPECT_EQ(plan(world, {"fields", "ccll"}, {}).exit_code, 2);
  // C++ has another spelling of a bool and of an enumerator.
  EXPECT_EQ(run.out.find("::"), std::string::npos);
}

TEST(Schema, IsOneOfEachKindOfFile) {
  const World world;
  for (const char* const kind : {"plan", "topology", "costs"}) {
    const ProgramRun run = run_quintet({"schema", kind}, world.folder());
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const Json schema = Json::parse(run.out, nullptr, false);
    ASSERT_TRUE(schema.is_object()) << kind;
    EXPECT_EQ(schema.at("$schema"), "https://json-schema.org/draft/2020-12/schema");
    EXPECT_EQ(schema.at("additionalProperties"), false);
  }
  EXPECT_EQ(run_quintet({"schema", "poem"}, world.folder()).exit_code, 2);
}

TEST(Schema, OfPlansKnowsFields) {
  const World world;
  const Json schema = Json::parse(run_quintet({"schema", "plan"}, world.folder()).out);
  const Json& parallelism = schema.at("properties").at("parallelism");
  EXPECT_EQ(parallelism.at("required"), Json::array({"sequence_length"}));
  EXPECT_EQ(parallelism.at("properties").at("tensor").at("minimum"), 1);
  EXPECT_EQ(parallelism.at("properties").at("tensor").at("default"), 1);
  EXPECT_EQ(parallelism.at("properties").at("sharding").at("enum"),
            Json::array({"none", "optimizer", "gradients", "parameters"}));
}

}  // namespace
}  // namespace quintet::test
