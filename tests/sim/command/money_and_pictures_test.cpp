// quintet simulate --money, --html and --svg, as a user calls them.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>
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

ProgramRun simulate(const World& world, const Arguments& more) {
  Arguments all{"simulate",   "llama-3-70b-1024-h100-tp8-pp4",
                "--model",    "llama-3-70b",
                "--topology", "dgx-h100-1024",
                "-q"};
  all.insert(all.end(), more.begin(), more.end());
  return run_quintet(all, world.folder());
}

Json money_of(const ProgramRun& run) {
  return Json::parse(run.out)["summary"][0]["money"];
}

// 128 hosts of 8 GPUs and 8 NICs; 32 leaves of 32 and 32 spines... of the shipped machine there are
// 1,024 cables to hosts, with two transceivers each.
TEST(Money, IsOfTheMachinesParts) {
  const World world;
  const ProgramRun run = simulate(world, {"--money", "--tokens", "15T", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json schema = Json::parse(std::ifstream(QUINTET_SOURCE_DIR "/docs/schema/simulate.json"));
  for (const std::string& complaint : schema_complaints(Json::parse(run.out), schema))
    ADD_FAILURE() << complaint;
  const Json money = money_of(run);
  double all = 0;
  for (const Json& line : money["bought"]) {
    const auto count = line["count"].get<double>();
    all += count * line["each"]["usual_usd"].get<double>();
    if (line["part"] == "GPU" || line["part"] == "NIC") {
      EXPECT_EQ(count, 1024);
    }
    if (line["part"] == "host") {
      EXPECT_EQ(count, 128);
    }
    if (line["what"] == "400 Gb/s, NIC to switch") {
      EXPECT_EQ(count, line["part"] == "cable" ? 1024 : 2048);
    }
  }
  EXPECT_NEAR(money["bought_all"]["usual_usd"].get<double>(), all, 1);
  const Json summary = Json::parse(run.out)["summary"][0];
  EXPECT_NEAR(money["step"]["rented"]["usual_usd"].get<double>(),
              summary["cost_per_step_usd"].get<double>(), 1e-9);  // the machine's own 3 $/h
  EXPECT_NEAR(money["run"]["owned"]["usual_usd"].get<double>(),
              money["hour"]["owned"]["usual_usd"].get<double>() *
                  summary["run"]["time_s"].get<double>() / 3600,
              1);
}

// Four NICs a host fewer: 512 NICs, their 512 cables and 1,024 transceivers are not there.
TEST(Money, IsLessByTheNicsThatAreNotThere) {
  const World world;
  const auto counts = [&](const Arguments& more) {
    std::map<std::string, double> all;
    Arguments asked{"--money", "--json"};
    asked.insert(asked.end(), more.begin(), more.end());
    const Json money = money_of(simulate(world, asked));
    for (const Json& line : money["bought"])
      all[line["part"].get<std::string>() +
          (line["what"].get<std::string>().ends_with("NIC to switch") ? " of hosts" : "")] +=
          line["count"].get<double>();
    return all;
  };
  auto eight = counts({}), four = counts({"--set", "host.nic.count=4"});
  EXPECT_EQ(eight["NIC"] - four["NIC"], 512);
  EXPECT_EQ(eight["cable of hosts"] - four["cable of hosts"], 512);
  EXPECT_EQ(eight["transceiver of hosts"] - four["transceiver of hosts"], 1024);
  EXPECT_LT(four["switch"], eight["switch"]);
  EXPECT_EQ(four["GPU"], eight["GPU"]);
}

TEST(Money, TakesOtherPrices) {
  const World world;
  const auto electricity = [&](const Arguments& more) {
    Arguments asked{"--money", "--json"};
    asked.insert(asked.end(), more.begin(), more.end());
    return money_of(simulate(world, asked))["hour"]["electricity"]["usual_usd"].get<double>();
  };
  // 0.162 is twice 0.081.
  EXPECT_NEAR(electricity({"--set", "prices.electricity.usual=0.162 $"}), 2 * electricity({}),
              1e-6);
}

TEST(Money, StandsInTheHeadAndInTables) {
  const World world;
  const ProgramRun run = simulate(world, {"--money"});
  for (const char* const part : {"\n  money      owned ", "What an hour costs, in $", "PUE 1.25",
                                 "Who says so\n[1] estimate of 2026: low: 195,000 $"})
    EXPECT_NE(run.out.find(part), std::string::npos) << part << run.out;
  EXPECT_EQ(simulate(world, {}).out.find("money  "), std::string::npos);
}

void expect_refused(const World& world, const Arguments& more, const std::string& word) {
  const ProgramRun run = simulate(world, more);
  EXPECT_EQ(run.exit_code, 2) << word;
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find(word), std::string::npos) << word << "\n" << run.err;
}

TEST(Money, RefusesWhatCannotBe) {
  const World world;
  expect_refused(world, {"--set", "prices.pue.usual=1.3"}, "only --money and a run (--tokens");
  expect_refused(world, {"--money", "--set", "prices.pue.usual=1.2,1.3"},
                 "one value is taken here");
  expect_refused(world, {"--money", "--set", "prices.pue.usual=9"},
                 "--set prices.pue.usual=9: must lie from low to high");
  expect_refused(world, {"--money", "--prices", "none.json"}, "none.json");
  expect_refused(world, {"--money", "--set", "host.gpu.name=\"H9\"", "--costs", "toy-pipeline"},
                 "has no price of \"H9\"");
}

// Parts of the drawn bar are the JSON's breakdown in picoseconds, and sum to its step.
TEST(Pictures, HaveTheJsonsNumbers) {
  const World world;
  const ProgramRun run = simulate(world, {"--html", "page.html", "--svg", "drawn", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json breakdown = Json::parse(run.out)["breakdown"][0];
  const std::vector<double> parts =
      values(xml_elements(world.read("drawn/steps.svg")), "data-value");
  EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), 0.0), breakdown["step"].get<double>());
  EXPECT_EQ(parts.front(), breakdown["compute"].get<double>());
  const std::vector<XmlElement> grid = xml_elements(world.read("drawn/pipeline.svg"));
  int forward = 0, backward = 0;
  for (const XmlElement& element : grid) {
    const auto pass = element.attributes.find("data-pass");
    if (pass == element.attributes.end()) continue;
    forward += pass->second == "F" ? 1 : 0;
    backward += pass->second == "B" ? 1 : 0;
  }
  EXPECT_EQ(forward, 32 * 4);  // micro-batches x stages
  EXPECT_EQ(backward, 32 * 4);
  const std::vector<double> loads =
      values(xml_elements(world.read("drawn/links.svg")), "data-load");
  const double busiest = Json::parse(run.out)["busiest_links"][0]["links"][0]["utilisation"];
  EXPECT_NEAR(*std::max_element(loads.begin(), loads.end()), busiest, 1e-12);
  const std::string page = world.read("page.html");
  EXPECT_FALSE(xml_elements(page).empty());
  EXPECT_LT(page.size(), 500'000u);
  for (const char* const file : {"intervals", "ranks", "memory"})
    EXPECT_FALSE(xml_elements(world.read(std::string("drawn/") + file + ".svg")).empty()) << file;
}

TEST(Money, OfManyPlansIsWhatEachAloneWouldSay) {
  const World world;
  const Arguments asked{"--money", "--tokens", "15T"};
  Arguments both = asked;
  both.insert(both.end(), {"--set", "parallelism.micro_batch=1,2"});
  const ProgramRun text = simulate(world, both);
  EXPECT_NE(text.out.find("$/M tokens owned"), std::string::npos) << text.out << text.err;
  both.emplace_back("--json");
  const Json plans = Json::parse(simulate(world, both).out)["plans"];
  ASSERT_EQ(plans.size(), 2u);
  for (const Json& plan : plans) {
    const int size = plan["plan"]["parallelism"]["micro_batch"].get<int>();
    Arguments alone = asked;
    alone.insert(alone.end(),
                 {"--json", "--set", "parallelism.micro_batch=" + std::to_string(size)});
    const Json summary = Json::parse(simulate(world, alone).out)["summary"][0];
    EXPECT_EQ(plan["money"], summary["money"]) << size;
    EXPECT_EQ(plan["run"], summary["run"]) << size;
    EXPECT_EQ(plan["interval"]["high_s"], summary["interval"]["high_s"]) << size;
  }
}

TEST(Pictures, ThatCannotBeWrittenAreRefusedBeforeTheWork) {
  const World world;
  expect_refused(world, {"--svg", "plan.json"}, "--svg plan.json: is a file, expected a folder");
  expect_refused(world, {"--svg", "plan.json/x"}, "the folder cannot be made");
  expect_refused(world, {"--html", "none/page.html"}, "there is no such directory: none");
  expect_refused(world, {"--html", "page.html", "--set", "parallelism.micro_batch=1,2"},
                 "is of plans in detail");
}

}  // namespace
}  // namespace quintet::test
