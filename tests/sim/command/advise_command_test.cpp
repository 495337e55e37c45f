// quintet plan advise, as a user calls it.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/sim/command/bad_input.h"
#include "tests/support/json_schema.h"
#include "tests/support/run_program.h"
#include "tests/support/xml_elements.h"

namespace quintet::test {
namespace {

using Json = nlohmann::json;

// GPT-2 on one DGX A100.
ProgramRun advise(const World& world, const Arguments& more) {
  Arguments all{"plan",       "advise",       "plan.json", "--model",   "model.json",
                "--topology", "machine.json", "--costs",   "costs.json"};
  all.insert(all.end(), more.begin(), more.end());
  return run_quintet(all, world.folder());
}

TEST(Advise, SaysAsJsonWhatItsSchemaSays) {
  const World world;
  const ProgramRun run = advise(world, {"--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json schema = Json::parse(std::ifstream(QUINTET_SOURCE_DIR "/docs/schema/advice.json"));
  const Json advice = Json::parse(run.out);
  EXPECT_EQ(schema_complaints(advice, schema), std::vector<std::string>{});
  EXPECT_EQ(advice["plans"], Json::parse(R"(["gpt2-tp4-dp2"])"));
  // The plan that decisions are compared with trains the same batch.
  const Json& usual = advice["usual_plan"]["plan"]["parallelism"];
  EXPECT_EQ(usual["micro_batch"].get<int>() * usual["micro_batches"].get<int>() *
                usual["data"].get<int>(),
            8);
}

TEST(Advise, HoldsRunnersUpToTheSame) {
  const World world;
  world.write("other.json", world.read("plan.json"));
  world.replace("other.json", "gpt2-tp4-dp2", "gpt2-tp2-dp4");
  world.replace("other.json", "\"tensor\": 4", "\"tensor\": 2");
  world.replace("other.json", "\"data\": 2", "\"data\": 4");
  world.replace("other.json", "\"micro_batches\": 4", "\"micro_batches\": 2");
  const ProgramRun run = run_quintet({"plan", "advise", "plan.json", "other.json", "--model",
                                      "model.json", "--topology", "machine.json", "--json"},
                                     world.folder());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json advice = Json::parse(run.out);
  ASSERT_EQ(advice["plans"].size(), 2);
  for (const Json& each : advice["robustness"]["cases"]) EXPECT_EQ(each["plans"].size(), 2);
  EXPECT_EQ(advice["pareto"].size(), 2);
}

// The toy pipeline's costs are what its four stages take; another layout has no price.
TEST(Advise, KeepsTheLayoutThatProfilesAreOf) {
  const World world;
  const ProgramRun run =
      run_quintet({"plan", "advise", "chain_plan.json", "--model", "chain_model.json", "--topology",
                   "chain.json", "--costs", "chain_costs.json", "--json"},
                  world.folder());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json advice = Json::parse(run.out);
  const Json& usual = advice["usual_plan"]["plan"]["parallelism"];
  EXPECT_EQ(usual["pipeline"], 4);
  EXPECT_EQ(usual["schedule"], "1f1b");
  EXPECT_TRUE(advice["faster_neighbour"].is_null());
}

TEST(Advise, WritesAPageOfDrawings) {
  const World world;
  const ProgramRun run = advise(world, {"--html", "why.html"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string page = world.read("why.html");
  const std::string body = page.substr(page.find("<body>"));
  EXPECT_FALSE(xml_elements(body.substr(0, body.find("</html>"))).empty());
  EXPECT_EQ(page.find("<script"), std::string::npos);
}

TEST(Advise, RefusesWhatItCannotUse) {
  const World world;
  EXPECT_EQ(advise(world, {"--html", "no/such/why.html"}).exit_code, 2);
  EXPECT_EQ(advise(world, {"--losses", "tiny-gpt"}).exit_code, 2);
  const ProgramRun check = run_quintet({"plan", "check", "plan.json", "--model", "model.json",
                                        "--topology", "machine.json", "--html", "why.html"},
                                       world.folder());
  EXPECT_EQ(check.exit_code, 2);
  EXPECT_NE(check.err.find("is for plan advise"), std::string::npos) << check.err;
}

}  // namespace
}  // namespace quintet::test
