// quintet compare: two traces in, the answer first, and what is wrong with a trace that is none.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/sim/command/world.h"
#include "tests/support/run_program.h"
#include "tests/support/xml_elements.h"

namespace quintet::test {
namespace {

using Json = nlohmann::json;

// The toy pipeline with 20 ms between two stages ("slow.json") and with 10 ms ("fast.json").
class Compare : public ::testing::Test {
 protected:
  Compare() {
    write("slow.json", "toy-pipeline-1f1b", "pipeline-4-20ms");
    write("fast.json", "toy-pipeline-1f1b", "pipeline-4-10ms");
  }
  void write(const std::string& trace, const std::string& plan, const std::string& topology) const {
    const ProgramRun wrote = run({"simulate", plan, "--model", "toy-pipeline", "--topology",
                                  topology, "--costs", "toy-pipeline", "-q", "--trace", trace});
    EXPECT_EQ(wrote.exit_code, 0) << wrote.err;
  }
  ProgramRun run(const std::vector<std::string>& arguments) const {
    return run_quintet(arguments, world_.folder());
  }
  void expect_refused(const std::vector<std::string>& arguments,
                      const std::vector<std::string>& words) const {
    const ProgramRun refused = run(arguments);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(refused.out, "");
    for (const std::string& word : words)
      EXPECT_NE(refused.err.find(word), std::string::npos) << word << "\n" << refused.err;
  }

  World world_;
};

// 650 ms and 550 ms are what `quintet simulate` says of the two; 100 of 550 is 18.2 %.
TEST_F(Compare, AnswersFirst) {
  const ProgramRun compared = run({"compare", "slow.json", "fast.json"});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_EQ(compared.err, "");
  const std::string answer =
      "Measured 550.0 ms, predicted 650.0 ms: the prediction is 18.2 % too slow.\n"
      "Where the -100.0 ms are: pipeline bubble -75.0 ms, exposed communication -25.0 ms.\n";
  EXPECT_EQ(compared.out.substr(0, answer.size()), answer);
}

// Messages between stages take half as long, and that is all: the bubbles follow. Receives take 30
// + 30 ms instead of 60 + 52.5, 0.53 times.
TEST_F(Compare, NamesTheCause) {
  const ProgramRun compared = run({"compare", "slow.json", "fast.json"});
  EXPECT_NE(
      compared.out.find("1. -62.5 ms, -11.4 % of the step: the network took 0.53 times as long "
                        "as predicted for data of the pipeline axis."),
      std::string::npos)
      << compared.out;
}

TEST_F(Compare, SaysNoBeyondTheTolerance) {
  EXPECT_EQ(run({"compare", "slow.json", "fast.json", "--within", "18"}).exit_code, 1);
  EXPECT_EQ(run({"compare", "slow.json", "fast.json", "--within", "19"}).exit_code, 0);
  EXPECT_EQ(run({"compare", "fast.json", "fast.json", "--within", "0"}).exit_code, 0);
}

std::int64_t total(const Json& parts, const char* side) {
  std::int64_t sum = 0;
  for (const Json& part : parts) sum += part[side].get<std::int64_t>();
  return sum;
}

TEST_F(Compare, JsonHasPartsThatSumToTheStep) {
  const ProgramRun compared = run({"compare", "slow.json", "fast.json", "--json"});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  const Json json = Json::parse(compared.out);
  EXPECT_EQ(json["schema_version"], 1);
  for (const char* const side : {"predicted", "measured"})
    for (const char* const parts : {"stack", "layers", "axes", "causes"})
      EXPECT_EQ(total(json[parts], side), json["step"][side]) << parts << " " << side;
  EXPECT_EQ(json["unmatched"], Json::array());
}

// 650, 550 and -100 ms are the step on both sides and its difference.
TEST_F(Compare, WritesTheSameTablesAsAPageThatLoadsNothing) {
  const ProgramRun compared = run({"compare", "slow.json", "fast.json", "--html", "page.html"});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_EQ(compared.out, run({"compare", "slow.json", "fast.json"}).out);
  const std::string page = world_.read("page.html");
  for (const char* const part :
       {"<!DOCTYPE html>\n", "<p>Predicted: slow.json</p>", "<p>Measured: fast.json</p>",
        "<p>Measured 550.0 ms, predicted 650.0 ms: the prediction is 18.2 % too slow.</p>",
        "<h2>Why (parts sum to the step; waiting is charged to what was waited for)</h2>",
        "<td>network, pipeline axis</td>", "<h2>By layer of the stack (parts sum to the step)</h2>",
        "<td>step</td><td>650.0 ms 100.0 %</td><td>550.0 ms 100.0 %</td><td>-100.0 ms  -15.4 "
        "%</td></tr>\n</tbody></table>",
        "<td>  pipeline</td>", "<td>pipeline bubble</td>", "</body></html>\n"})
    EXPECT_NE(page.find(part), std::string::npos) << part << "\n" << page;
  for (const char* const loading : {"src=", "href=", "url(h", "url(\"", "@import", "<script"})
    EXPECT_EQ(page.find(loading), std::string::npos) << loading;
}

// The drawing's ends and changes are the JSON's causes, in picoseconds: 650 and 550 ms.
TEST_F(Compare, DrawsTheJsonsNumbers) {
  const ProgramRun compared =
      run({"compare", "slow.json", "fast.json", "--svg", "drawn", "--json"});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  const std::vector<XmlElement> elements = xml_elements(world_.read("drawn/causes.svg"));
  EXPECT_EQ(values(elements, "data-end"), (std::vector<double>{650e9, 550e9}));
  std::vector<double> changes;
  const Json report = Json::parse(compared.out);
  for (const Json& cause : report["causes"])
    if (const double change = cause["measured"].get<double>() - cause["predicted"].get<double>();
        change != 0)
      changes.push_back(change);
  EXPECT_FALSE(changes.empty());
  EXPECT_EQ(values(elements, "data-change"), changes);
  for (const char* const file :
       {"steps", "pipeline-predicted", "pipeline-measured", "ranks-predicted", "ranks-measured"})
    EXPECT_FALSE(xml_elements(world_.read(std::string("drawn/") + file + ".svg")).empty()) << file;
}

TEST_F(Compare, NamesThePageThatCannotBeWritten) {
  expect_refused({"compare", "slow.json", "fast.json", "--html", "none/page.html"},
                 {"--html none/page.html", "there is no such directory: none"});
  expect_refused({"compare", "slow.json", "fast.json", "--svg", "slow.json"},
                 {"--svg slow.json", "is a file, expected a folder"});
  expect_refused({"compare", "slow.json", "fast.json", "--svg", "slow.json/into"},
                 {"--svg slow.json/into", "the folder cannot be made: "});
}

TEST_F(Compare, NamesTheFileAndPlaceOfWhatIsNoTrace) {
  expect_refused({"compare", "none.json", "fast.json"}, {"none.json", "no such file"});
  expect_refused(
      {"compare", "slow.json", "plan.json"},
      {"plan.json", "no \"quintet\" object", "expected a trace that quintet simulate --trace"});
  world_.write("text.json", "hello");
  expect_refused({"compare", "text.json", "fast.json"},
                 {"text.json", "is no trace that can be read here", "Chrome's Trace Event Format"});
  world_.keep_first("fast.json", 4000);
  expect_refused({"compare", "slow.json", "fast.json"}, {"fast.json", "line "});
}

TEST_F(Compare, RefusesStepsOfOtherPrograms) {
  write("other.json", "toy-pipeline-warm-up", "pipeline-4-20ms");
  world_.replace("other.json", "\"forward\"", "\"update\"");
  expect_refused({"compare", "slow.json", "other.json"},
                 {"slow.json and other.json", "quintetInfos[", "not of one program"});
}

TEST_F(Compare, RefusesToleranceBelowZero) {
  expect_refused({"compare", "slow.json", "fast.json", "--within", "-1"}, {"--within"});
}

}  // namespace
}  // namespace quintet::test
