// quintet plan and quintet schema.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
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

// The curves do not say what they are of; then of another batch.
TEST(PlanReplicator, SaysWhereCurvesAreOfSomethingElse) {
  const World world;
  const std::string curves = R"("curves": [{"name": "all", "optimizer": "adamw",
      "replicator": {"kind": "full"}, "steps": [10, 20], "losses": [4, 3]}]})";
  const Arguments asked{"replicator", "plan.json", "--losses", "losses.json", "--json"};
  world.write("losses.json", R"({"name": "made up", )" + curves);
  EXPECT_NE(plan(world, asked).err.find("do not say of which model"), std::string::npos);
  world.write("losses.json", R"({"name": "made up", "model": "tiny-gpt", "global_batch": 16,
      "sequence_length": 1024, )" +
                                 curves);
  const ProgramRun told = plan(world, asked);
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_NE(told.err.find("the curves are of the model tiny-gpt"), std::string::npos) << told.err;
  const Json remarks = Json::parse(told.out).at("remarks");
  ASSERT_EQ(remarks.size(), 2u) << remarks;  // the length is the plan's
  EXPECT_EQ(remarks[1], "the curves are of a global batch of 16, the plan has 8");
}

// One of two has no price; the command that measures it names what it changes in the plan.
TEST(PlanReplicator, ShowsWhatHasNoPrice) {
  const World world;
  world.write("losses.json", R"({"name": "made up", "model": "tiny-gpt", "global_batch": 16,
      "sequence_length": 64, "curves": [
    {"name": "all", "optimizer": "adamw", "replicator": {"kind": "full"},
     "steps": [10, 20], "losses": [4, 3]},
    {"name": "odd", "optimizer": "sgd", "clipping": "none",
     "replicator": {"kind": "demo", "chunk": 48, "top_k": 7},
     "steps": [10, 60], "losses": [4, 3]}]})");
  const ProgramRun told = run_quintet({"plan", "replicator", "tiny-gpt-dp4", "--model", "tiny-gpt",
                                       "--topology", "box-4-1gbit", "--losses", "losses.json"},
                                      world.folder());
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_NE(told.out.find("has no measured time of"), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("quintet calibrate --model tiny-gpt --topology box-4-1gbit --plan "
                          "tiny-gpt-dp4 "),
            std::string::npos)
      << told.out;
  EXPECT_NE(told.out.find(" --set parallelism.replicator.chunk=48"), std::string::npos) << told.out;
}

TEST(PlanVerb, RefusesOptionsOfOtherActions) {
  const World world;
  const ProgramRun refused = plan(world, {"adapt", "plan.json", "--losses", "losses.json"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("--losses: is for plan replicator"), std::string::npos) << refused.err;
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

// 256 GPUs in hosts of 4: weights are shared out inside a host, gradients summed between hosts.
TEST(PlanExplain, KnowsGroupsThatShare) {
  const World world;
  const ProgramRun run = run_quintet({"plan", "explain", "olmo-2-1b-full", "--model", "olmo-2-1b",
                                      "--topology", "leonardo-a100", "--stack", "huggingface"},
                                     world.folder());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("256 ranks take different sequences; groups of 4 share out their "
                         "parameters, and the 64 groups sum their gradients in every step"),
            std::string::npos)
      << run.out;
  EXPECT_EQ(run.out.find("1 micro-batches"), std::string::npos) << run.out;
}

// As many tokens as simulate says, not those of padded rows.
TEST(PlanExplain, CountsTokensOfUnequalSamples) {
  const World world;
  const Arguments about{"bert-large-1024-a100-balanced", "--model", "bert-large", "--topology",
                        "samsung-a100-1024"};
  Arguments explain{"plan", "explain"}, simulate{"simulate", "-q", "--json"};
  explain.insert(explain.end(), about.begin(), about.end());
  simulate.insert(simulate.end(), about.begin(), about.end());
  const ProgramRun explained = run_quintet(explain, world.folder());
  const ProgramRun simulated = run_quintet(simulate, world.folder());
  ASSERT_EQ(explained.exit_code, 0) << explained.err;
  const double tokens = Json::parse(simulated.out)["summary"][0]["tokens_per_step"];
  EXPECT_LT(tokens, 5e6);  // 1,024 x 16 x 512 are 8.39 million
  char expected[64];
  std::snprintf(expected, sizeof expected, "(%.3g million tokens in this draw)", tokens / 1e6);
  EXPECT_NE(explained.out.find(expected), std::string::npos) << explained.out;
  EXPECT_NE(explained.out.find("drawn stratified"), std::string::npos) << explained.out;
  EXPECT_NE(explained.out.find("deal theirs anew by length (presort-in-host)"), std::string::npos)
      << explained.out;
}

// Beside the plan, whatever the folder of work.
TEST(PlanCheck, FindsLengthsBesideThePlan) {
  const World world;
  std::filesystem::create_directory(world.folder() / "plans");
  world.write("plans/h.csv", "length,count\n128,5\n512,5\n");
  world.write("plans/uneven.json", R"({"parallelism": {"data": 8, "sequence_length": 512,
      "micro_batch": 4, "samples": {"lengths": "h.csv"}}})");
  world.write("bert.json", R"({"model_type": "bert", "hidden_size": 256, "num_hidden_layers": 2,
      "num_attention_heads": 4, "intermediate_size": 1024, "max_position_embeddings": 512,
      "vocab_size": 1000, "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1})");
  const ProgramRun checked =
      run_quintet({"plan", "check", "plans/uneven.json", "--model", "bert.json", "--topology",
                   "machine.json", "--costs", "costs.json"},
                  world.folder());
  EXPECT_EQ(checked.exit_code, 0) << checked.err << checked.out;
}

// Neither the model nor the machine has a say in it.
TEST(PlanCheck, TellsContradictionsFromWhatDoesNotFit) {
  const World world;
  world.replace("plan.json", "\"tensor\": 4", "\"tensor\": 5");
  const ProgramRun both = plan(world, {"check", "plan.json", "--set", "run.evaluation.every=8"});
  EXPECT_EQ(both.exit_code, 1) << both.err;
  const std::size_t own = both.out.find("is wrong in itself\n  run.evaluation.samples: ");
  EXPECT_NE(own, std::string::npos) << both.out;
  EXPECT_GT(both.out.find("does not fit this model on this machine\n"), own) << both.out;
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
