// Plans asked for on the command line, fields changed by --set, lists of values in one table.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <set>
#include <string>
#include <vector>

#include "tests/sim/command/bad_input.h"
#include "tests/support/run_program.h"

namespace quintet::test {
namespace {

using Json = nlohmann::json;

Arguments asked(const Arguments& further) {
  Arguments all{"simulate",     "--model", "model.json", "--topology",
                "machine.json", "--costs", "costs.json", "-q"};
  all.insert(all.end(), further.begin(), further.end());
  return all;
}

Json answer(const World& world, Arguments arguments, int code = 0) {
  arguments.emplace_back("--json");
  const ProgramRun run = run_quintet(arguments, world.folder());
  EXPECT_EQ(run.exit_code, code) << run.err;
  return Json::parse(run.out, nullptr, false);
}

double step_of(const Json& report) {
  return report.at("summary").at(0).at("step_s").get<double>();
}

// plan.json in options: 4-way tensor, the other 2 of 8 GPUs are replicas, 2 x 4 sequences.
const Arguments plan_in_options{"--tensor",   "4",    "--global-batch", "8",
                                "--sequence", "1024", "--set",          "ccl.bucket=25MB"};

TEST(AskedWithoutFile, IsThePlanOfTheFile) {
  const World world;
  const Json file = answer(world, on_machine({"-q"})),
             options = answer(world, asked(plan_in_options));
  EXPECT_EQ(options.at("summary").at(0).at("name"), "tp4-dp2");
  for (const char* const part : {"summary", "breakdown", "memory", "busiest_links", "intervals"}) {
    Json one = file.at(part).at(0), other = options.at(part).at(0);
    for (const char* const word : {"name", "file"}) {
      one.erase(word);
      other.erase(word);
    }
    EXPECT_EQ(one, other) << part;
  }
}

TEST(AskedWithoutFile, TakesTheWordsPeopleUse) {
  const World world;
  const Json ours = answer(
      world, asked({"--tensor", "2", "--data", "4", "--micro-batch", "2", "--global-batch", "16",
                    "--sequence", "512", "--sharding", "parameters", "--precision", "bf16"}));
  for (const Arguments& theirs :
       {Arguments{"--tp", "2", "--dp", "4", "--mbs", "2", "--gbs", "16", "--seq", "512",
                  "--sharding", "FSDP", "--precision", "BF16"},
        Arguments{"--tp", "2", "--mbs", "2", "--gbs", "16", "--seq", "512", "--zero", "3"},
        Arguments{"--set", "parallelism.tp=2", "--set", "parallelism.mbs=2", "--set",
                  "parallelism.gbs=16", "--set", "parallelism.seq=512", "--set",
                  "parallelism.zero=zero3"}}) {
    const Json other = answer(world, asked(theirs));
    EXPECT_EQ(other.at("summary"), ours.at("summary"));
  }
}

TEST(AskedWithoutFile, IsWrittenForOtherPrograms) {
  const World world;
  Arguments arguments = asked(plan_in_options);
  arguments.insert(arguments.end(), {"-o", "asked.json"});
  const double step = step_of(answer(world, arguments));
  world.replace("plan.json", "gpt2-tp4-dp2", "spoilt");  // and is not what is read
  Arguments read = on_machine({"-q"});
  read[1] = "asked.json";
  EXPECT_EQ(step_of(answer(world, read)), step);
}

// The plan's file has tensor 4; what --set says is what a file with it would say.
TEST(Set, IsTheFileWithThatField) {
  const World world;
  const double changed =
      step_of(answer(world, on_machine({"-q", "--set", "ccl.overlap_gradients=false"})));
  const double before = step_of(answer(world, on_machine({"-q"})));
  world.replace("plan.json", "{\"bucket\"", "{\"overlap_gradients\": false, \"bucket\"");
  EXPECT_EQ(step_of(answer(world, on_machine({"-q"}))), changed);
  EXPECT_NE(changed, before);
}

TEST(Set, ChangesMachinesAndCosts) {
  const World world;
  const double before = step_of(answer(world, on_machine({"-q"})));
  const double slow_link =
      step_of(answer(world, on_machine({"-q", "--set", "host.nvlink.bandwidth=30GB/s"})));
  EXPECT_GT(slow_link, before);
  const double slow_start =
      step_of(answer(world, on_machine({"-q", "--set", "costs.communication.latency_factor=50"})));
  EXPECT_GT(slow_start, before);
  // A file with the same says the same.
  world.replace("hosts/dgx-a100.json", "\"300 GB/s\"", "\"30 GB/s\"");
  EXPECT_EQ(step_of(answer(world, on_machine({"-q"}))), slow_link);
}

TEST(Set, IsAskedOfMachinesAlone) {
  const World world;
  const ProgramRun run = run_quintet(
      {"topology", "machine.json", "--json", "--set", "topology.name=other"}, world.folder());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("\"other\""), std::string::npos) << run.out.substr(0, 300);
}

// 3 of 9 are no layouts: 8 x 2, 8 x 4 and 4 x 4 ranks are more than 8 GPUs.
const Arguments nine_layouts{"--tensor",       "1,2,4", "--pipeline", "1,2,4",
                             "--global-batch", "32",    "--sequence", "1024"};

TEST(Lists, AreAnsweredInOneTable) {
  const World world;
  const Json report = answer(world, asked(nine_layouts));
  const Json& plans = report.at("plans");
  ASSERT_EQ(plans.size(), 8u);  // 1x1 1x2 1x4 2x1 2x2 2x4 4x1 4x2
  for (std::size_t i = 1; i < plans.size(); ++i)
    EXPECT_LE(plans[i - 1].at("step_s").get<double>(), plans[i].at("step_s").get<double>());
  ASSERT_EQ(report.at("refused").size(), 1u);
  EXPECT_NE(report.at("refused").at(0).at("reason").get<std::string>().find("8 places"),
            std::string::npos);
  for (const Json& plan : plans) {
    const Json& degrees = plan.at("plan").at("parallelism");
    const Json one =
        answer(world, asked({"--tensor", std::to_string(degrees.at("tensor").get<int>()),
                             "--pipeline", std::to_string(degrees.at("pipeline").get<int>()),
                             "--global-batch", "32", "--sequence", "1024"}));
    EXPECT_EQ(step_of(one), plan.at("step_s").get<double>()) << plan.at("name");
  }
}

TEST(Lists, CountWhatCannotBe) {
  const World world;
  const ProgramRun run = run_quintet(asked(nine_layouts), world.folder());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("tensor 4, pipeline 2"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("1 more cannot be"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("tensor 4 x pipeline 4 = 16 does not divide the 8 places"),
            std::string::npos)
      << run.out;
}

// A sequence of 1024 tokens in micro-batches of 2048 needs more than a GPU has.
TEST(Lists, PutWhatDoesNotFitBehindWhatDoes) {
  const World world;
  world.replace("hosts/dgx-a100.json", "\"80 GiB\"", "\"6 GiB\"");
  const Json report = answer(
      world, asked({"--micro-batch", "1,16", "--global-batch", "128", "--sequence", "1024"}));
  const Json& plans = report.at("plans");
  ASSERT_EQ(plans.size(), 2u);
  EXPECT_TRUE(plans[0].at("fits").get<bool>());
  EXPECT_FALSE(plans[1].at("fits").get<bool>());
  const ProgramRun run =
      run_quintet(asked({"--micro-batch", "16,8", "--global-batch", "128", "--sequence", "1024"}),
                  world.folder());
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.out.find("DOES NOT FIT"), std::string::npos) << run.out;
}

// The first question of three users of four: of 3 x 5 x 7 layouts of Llama-3-70B on 16 DGX H100, a
// step of 512 sequences of 8192 tokens, which is fastest? 3 of 7 micro-batches do not divide the
// 512 among replicas, and 8-way tensor with 16 stages leaves one replica, which shares with nobody.
TEST(Lists, AnswerTheBestOfAHundredAndFiveLayouts) {
  const World world;
  const Json report = answer(world, {"simulate",      "-q",
                                     "--model",       "llama-3-70b",
                                     "--topology",    "dgx-h100",
                                     "--hosts",       "16",
                                     "--tensor",      "2,4,8",
                                     "--pipeline",    "1,2,4,8,16",
                                     "--micro-batch", "1,2,3,4,5,6,8",
                                     "--zero",        "1",
                                     "--sp",          "--global-batch",
                                     "512",           "--sequence",
                                     "8192",          "-o",
                                     "best.json"});
  std::set<std::string> names;
  for (const Json& plan : report.at("plans")) names.insert(plan.at("name").get<std::string>());
  for (const Json& plan : report.at("refused")) names.insert(plan.at("name").get<std::string>());
  EXPECT_EQ(names.size(), 105u);
  EXPECT_EQ(report.at("plans").size(), 56u);  // 14 layouts x micro-batches of 1, 2, 4, 8
  const Json& best = report.at("plans").at(0);
  EXPECT_TRUE(best.at("fits").get<bool>());
  for (const Json& plan : report.at("plans"))
    EXPECT_TRUE(!plan.at("fits").get<bool>() ||
                plan.at("step_s").get<double>() >= best.at("step_s").get<double>());
  const Json alone = answer(world, {"simulate", "best.json", "-q", "--model", "llama-3-70b",
                                    "--topology", "dgx-h100", "--hosts", "16"});
  EXPECT_EQ(step_of(alone), best.at("step_s").get<double>());
}

TEST(Lists, MayBeOfMachines) {
  const World world;
  const Json report =
      answer(world, on_machine({"-q", "--set", "host.nvlink.bandwidth=300GB/s,30GB/s"}));
  const Json& plans = report.at("plans");
  ASSERT_EQ(plans.size(), 2u);
  EXPECT_EQ(plans[0].at("name"), "gpt2-tp4-dp2, bandwidth 300GB/s");
  EXPECT_EQ(plans[0].at("step_s").get<double>(), step_of(answer(world, on_machine({"-q"}))));
  EXPECT_LT(plans[0].at("step_s").get<double>(), plans[1].at("step_s").get<double>());
}

TEST(Lists, OfOnlyImpossiblePlansAreRefused) {
  const World world;
  const ProgramRun run = run_quintet(
      asked({"--tensor", "3,5", "--global-batch", "32", "--sequence", "1024"}), world.folder());
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find("does not divide the 8 places"), std::string::npos) << run.err;
}

TEST(OneBadPlanOfMany, IsReportedAndTheOthersAnswered) {
  const World world;
  world.write("bad.json", R"({"parallelism": {"tensor": 5, "sequence_length": 64}})");
  world.write("worse.json", "{");
  Arguments arguments = on_machine({"-q"});
  arguments.insert(arguments.begin() + 2, {"bad.json", "worse.json", "missing.json"});
  const ProgramRun run = run_quintet(arguments, world.folder());
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.out.find("gpt2-tp4-dp2"), std::string::npos) << run.out;
  for (const char* const name : {"bad.json", "worse.json", "missing.json"})
    EXPECT_NE(run.err.find(name), std::string::npos) << run.err;
}

TEST(ShortMachineNames, TakeHosts) {
  const World world;
  for (const char* const name : {"dgx-h100", "dgx-a100"}) {
    const ProgramRun run =
        run_quintet({"topology", name, "--hosts", "16", "--json"}, world.folder());
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const Json machine = Json::parse(run.out, nullptr, false);
    EXPECT_FALSE(machine.is_discarded()) << name;
  }
}

const std::vector<BadInput>& rows() {
  const auto nothing = [](const World&) {};
  static const std::vector<BadInput> all{
      {"UnknownLayer",
       nothing,
       {"--set paralelism.tensor=4", "is no layer", "parallelism"},
       on_machine({"--set", "paralelism.tensor=4"})},
      {"FieldWithoutLayer",
       nothing,
       {"did you mean \"parallelism.tensor\""},
       on_machine({"--set", "tensor=4"})},
      {"UnknownField",
       nothing,
       {"--set parallelism.tensr=4", "did you mean \"tensor\""},
       on_machine({"--set", "parallelism.tensr=4"})},
      {"UnknownFieldOfTheHost",
       nothing,
       {"--set host.nik.bandwidth=4", "did you mean \"nic\""},
       on_machine({"--set", "host.nik.bandwidth=4"})},
      {"UnknownFieldOfTheCosts",
       nothing,
       {"--set costs.lunch.eager=1us", "did you mean \"launch\""},
       on_machine({"--set", "costs.lunch.eager=1us"})},
      {"WrongWord",
       nothing,
       {"--set parallelism.schedule=2f2b", "expected one of gpipe, 1f1b"},
       on_machine({"--set", "parallelism.schedule=2f2b"})},
      {"NumberWithoutUnit",
       nothing,
       {"--set host.gpu.memory=80", "80 GiB"},
       on_machine({"--set", "host.gpu.memory=80"})},
      {"NoValue",
       nothing,
       {"--set parallelism.tensor=", "expected a value"},
       on_machine({"--set", "parallelism.tensor="})},
      {"NoEquals", nothing, {"LAYER.FIELD=VALUE"}, on_machine({"--set", "parallelism.tensor"})},
      {"SetTwice",
       nothing,
       {"--tensor 4", "says the same field"},
       on_machine({"--tensor", "4", "--set", "parallelism.tensor=2"})},
      {"NoSequence", nothing, {"--sequence", "is missing"}, asked({"--tensor", "4"})},
      {"TraceOfMany",
       nothing,
       {"--trace", "one plan"},
       on_machine({"--tensor", "4,8", "--trace", "x.json"})},
      {"CostsOfATopology",
       nothing,
       {"--set costs.gpu=x", "cost table", "shows a machine"},
       {"topology", "machine.json", "--set", "costs.gpu=x"}},
      {"LayerWithoutField",
       nothing,
       {"--set ccl=5", "is a layer", "name one of its fields"},
       on_machine({"--set", "ccl=5"})},
      {"FieldOfAList",
       nothing,
       {"--set costs.gemm.peak=1", "\"gemm\" is a list", "gemm[0].peak"},
       on_machine({"--set", "costs.gemm.peak=1"})},
      {"FieldOfANumber",
       nothing,
       {"\"parallelism.tensor\" is the number 4", "leave out \".size\""},
       on_machine({"--set", "parallelism.tensor.size=1"})},
      {"NumberOfAListWithADot",
       nothing,
       {"--set ccl.rules.0.algorithm=ring", "ccl.rules: expected an array"},
       on_machine({"--set", "ccl.rules.0.algorithm=ring"})},
      {"FieldMissingInsideAValue",
       nothing,
       {"[0].axis: is missing", "expected one of tensor"},
       on_machine({"--set", R"(intra_inter.decompositions=[{"decomposition":"flat"}])"})},
      {"ListedTwice",
       nothing,
       {"network.routing=ecmp", "listed twice"},
       on_machine({"--set", "network.routing=ecmp,spray,ecmp"})},
      {"OrderOfOneAxis",
       nothing,
       {"parallelism.order=tensor", "each one of tensor, context, expert, data, pipeline"},
       on_machine({"--set", "parallelism.order=tensor"})},
      {"BucketOfAllMemory",
       nothing,
       {"ccl.bucket", "1000 PB"},
       on_machine({"--set", "ccl.bucket=1e300 MB"})},
      {"ValueOfThreeThousandDigits",
       nothing,
       {"parallelism.tensor=999", "from 1 to 1048576"},
       on_machine({"--set", "parallelism.tensor=" + std::string(3000, '9')})},
      {"StageInWords",
       nothing,
       {"--zero one", "0, 1, 2 or 3", "\"one\""},
       on_machine({"--zero", "one"})},
  };
  return all;
}

class BadAsking : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadAsking, IsRefusedWithARemedy) {
  expect_refused(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Command, BadAsking, ::testing::ValuesIn(rows()),
                         name_of_input<::testing::TestParamInfo<BadInput>>);

}  // namespace
}  // namespace quintet::test
