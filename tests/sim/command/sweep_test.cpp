// quintet sweep, as a user calls it.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/base/csv.h"
#include "tests/sim/command/bad_input.h"
#include "tests/support/json_schema.h"
#include "tests/support/run_program.h"
#include "tests/support/xml_elements.h"

namespace quintet::test {
namespace {

using Json = nlohmann::json;

ProgramRun sweep(const World& world, const Arguments& more) {
  Arguments all{"sweep",      "--model", "gpt2",           "--topology", "dgx-a100-1",
                "--sequence", "1024",    "--global-batch", "64",         "-q"};
  all.insert(all.end(), more.begin(), more.end());
  return run_quintet(all, world.folder());
}

const Arguments two_fields{"--vary", "parallelism.tensor=1..4 times 2", "--vary",
                           "parallelism.micro_batch=1,2"};

Arguments with(Arguments all, const Arguments& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

int of_class(const std::string& drawing, const std::string& name) {
  int count = 0;
  for (const XmlElement& element : xml_elements(drawing)) {
    const auto found = element.attributes.find("class");
    if (found != element.attributes.end() && found->second == name) ++count;
  }
  return count;
}

TEST(Sweep, EveryPointIsWhatSimulateAnswers) {
  const World world;
  const ProgramRun run = sweep(world, with(two_fields, {"--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json json = Json::parse(run.out);
  const Json schema = Json::parse(std::ifstream(QUINTET_SOURCE_DIR "/docs/schema/sweep.json"));
  for (const std::string& complaint : schema_complaints(json, schema)) ADD_FAILURE() << complaint;
  ASSERT_EQ(json["points"].size(), 6U);  // 3 x 2
  double least = 1e9;
  std::size_t best = 0;
  for (std::size_t at = 0; at < 6; ++at) {
    const Json& point = json["points"][at];
    const std::string tensor = point["values"]["parallelism.tensor"],
                      micro_batch = point["values"]["parallelism.micro_batch"];
    // The last field varies first.
    EXPECT_EQ(tensor, (std::vector<std::string>{"1", "1", "2", "2", "4", "4"}[at]));
    const ProgramRun alone = run_quintet(
        {"simulate", "--model", "gpt2", "--topology", "dgx-a100-1", "--sequence", "1024",
         "--global-batch", "64", "--tensor", tensor, "--micro-batch", micro_batch, "--json", "-q"},
        world.folder());
    ASSERT_EQ(alone.exit_code, 0) << alone.err;
    const Json summary = Json::parse(alone.out)["summary"][0];
    EXPECT_EQ(point["step_s"], summary["step_s"]);
    EXPECT_EQ(point["mfu"], summary["mfu"]);
    if (point["step_s"].get<double>() < least) {
      least = point["step_s"];
      best = at;
    }
  }
  EXPECT_EQ(json["best"].get<std::size_t>(), best);
}

TEST(Sweep, IsTheSameForAnyNumberOfThreads) {
  const World world;
  const ProgramRun one = sweep(world, with(two_fields, {"--threads", "1", "--csv"})),
                   four = sweep(world, with(two_fields, {"--threads", "4", "--csv"}));
  EXPECT_EQ(one.out, four.out);
  const Result<std::vector<CsvRow>> rows = parse_csv(one.out, "sweep.csv");
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 7U);  // a header and 3 x 2
  EXPECT_EQ(rows->front().cells.size(), 13U);
  EXPECT_EQ(rows->back().cells[0], "4");
}

TEST(Sweep, DrawsLinesAndAMapOfEachFigure) {
  const World world;
  const ProgramRun run = sweep(
      world, with(two_fields, {"--html", "page.html", "--svg", "drawings", "--figure", "mfu"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("MFU in %; * is the best"), std::string::npos) << run.out;
  // Two lines of three dots; six cells.
  const std::string lines = world.read("drawings/lines-step.svg"),
                    map = world.read("drawings/map-step.svg");
  EXPECT_EQ(of_class(lines, "curve"), 2);
  EXPECT_EQ(of_class(lines, "mark"), 6);
  EXPECT_EQ(values(xml_elements(map), "data-value").size(), 6U);
  EXPECT_EQ(of_class(map, "outline"), 1);
  EXPECT_NE(world.read("page.html").find("step by tensor and micro_batch"), std::string::npos);
}

// A quarter, a half and all of a NIC's rate: less is never faster.
TEST(Sweep, VariesTheShareOfAPartThatIsLeft) {
  const World world;
  const ProgramRun run = run_quintet(
      {"sweep", "--model", "gpt2", "--topology", "dgx-a100", "--hosts", "2", "--sequence", "1024",
       "--global-batch", "64", "--vary", "slow host0/nic0=0.25,0.5,1", "--json", "-q"},
      world.folder());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json points = Json::parse(run.out)["points"];
  ASSERT_EQ(points.size(), 3U);
  EXPECT_GT(points[0]["step_s"].get<double>(), points[1]["step_s"].get<double>());
  EXPECT_GT(points[1]["step_s"].get<double>(), points[2]["step_s"].get<double>());
}

TEST(Sweep, SaysWhyACaseCannotBeAndAnswersTheOthers) {
  const World world;
  const ProgramRun run = sweep(world, {"--vary", "parallelism.tensor=2,3"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("Not possible: tensor 3: "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("best"), std::string::npos);
}

TEST(Sweep, RefusesWhatIsNoSweep) {
  const World world;
  struct Wrong {
    Arguments given;
    std::string said;
  };
  for (const Wrong& wrong : std::vector<Wrong>{
           {{}, "--vary"},
           {{"--vary", "tensor=1,2"}, "did you mean \"parallelism.tensor\"?"},
           {{"--vary", "parallelism.tensor"}, "expected FIELD=VALUES"},
           {{"--vary", "parallelism.tensor=4..1"}, "leads nowhere"},
           {{"--vary", "parallelism.tensor=1,2", "--vary", "parallelism.tp=4"}, "varied twice"},
           {{"--vary", "parallelism.tensor=1,2", "--tensor", "2"}, "says the same field"},
           {{"--vary", "parallelism.tensor=1,2", "--pipeline", "1,2"}, "is a list"},
           {{"--vary", "hosts=1,2", "--hosts", "2"}, "leave one out"},
           {{"--vary", "parallelism.tensor=3,5"}, "none of the 2 cases can be predicted"},
           {{"--vary", "parallelism.tensor=1,2", "--figure", "speed"}, "--figure"},
           {{"--vary", "parallelism.micro_batch=1..150", "--vary", "ccl.bucket=1..150"},
            "more than 10000 predictions"}}) {
    const ProgramRun run = sweep(world, wrong.given);
    EXPECT_EQ(run.exit_code, 2) << run.out;
    EXPECT_NE(run.err.find(wrong.said), std::string::npos) << run.err;
  }
}

}  // namespace
}  // namespace quintet::test
