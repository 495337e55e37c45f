// `quintet jobs` from outside: what is refused and where, and what it says.
#include <gtest/gtest.h>

#include "tests/sim/command/bad_input.h"
#include "tests/support/run_program.h"

namespace quintet::test {
namespace {

const Arguments on_shared_machine{"jobs", "jobs.json", "--topology", "machine.json"};

std::string one_job(const std::string& more) {
  return R"({"name": "jobs", "jobs": [{"name": "a", "model": "model.json", "plan": "plan.json")" +
         more + "}]}";
}

const std::vector<BadInput>& bad_job_files() {
  static const std::vector<BadInput> all{
      {"NoFile", [](const World&) {}, {"jobs.json", "no such file"}, on_shared_machine},
      {"NoJson", written("jobs.json", "{"), {"jobs.json"}, on_shared_machine},
      {"UnknownKey",
       written("jobs.json", one_job(R"(, "host": 1)")),
       {"jobs.json: jobs[0]", "host", "hosts"},
       on_shared_machine},
      {"TooManyHosts",
       written("jobs.json", one_job(R"(, "hosts": 2)")),
       {"jobs.json: jobs[0].hosts", "is 2", "has 1"},
       on_shared_machine},
      {"TooManyGpus",
       written("jobs.json", one_job(R"(, "gpus_per_host": 9)")),
       {"jobs.json: jobs[0].gpus_per_host", "is 9", "1 to 8"},
       on_shared_machine},
      {"APlanOfAnotherSize",
       written("jobs.json", one_job(R"(, "gpus_per_host": 4)")),
       {"jobs.json: jobs[0].plan", "4 places"},
       on_shared_machine},
      {"AModelThatIsNotThere",
       written("jobs.json",
               R"({"name": "jobs", "jobs": [{"name": "a", "model": "x", "plan": "plan.json"}]})"),
       {"jobs.json: jobs[0].model", "\"x\""},
       on_shared_machine},
      {"AHostThatIsNotThere",
       written("jobs.json", one_job(R"(, "on_hosts": [3])")),
       {"jobs.json: jobs[0].on_hosts", "host 3", "0 to 0"},
       on_shared_machine},
      {"ChoiceAndPolicy",
       written("jobs.json", one_job("")),
       {"--policy", "--choose"},
       {"jobs", "jobs.json", "--topology", "machine.json", "--choose", "--policy", "crux"}},
      {"NoMachine", written("jobs.json", one_job("")), {"--topology"}, {"jobs", "jobs.json"}},
  };
  return all;
}

class BadJobs : public testing::TestWithParam<BadInput> {};
TEST_P(BadJobs, IsRefusedWithItsPlace) {
  expect_refused(GetParam());
}
INSTANTIATE_TEST_SUITE_P(All, BadJobs, testing::ValuesIn(bad_job_files()),
                         name_of_input<testing::TestParamInfo<BadInput>>);

ProgramRun run_jobs(const World& world, const Arguments& arguments) {
  return run_quintet(arguments, world.folder());
}

// One job has the machine to itself: with others is alone, slowdown 1.
TEST(JobsCommand, TellsWhatAJobAloneTakes) {
  World world;
  world.write("jobs.json", one_job(R"(, "steps": 7)"));
  const ProgramRun told = run_jobs(world, on_shared_machine);
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_NE(told.out.find("1.0000"), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("0.0 %"), std::string::npos) << told.out;
}

// The file that -o writes, in another folder, tells the same.
TEST(JobsCommand, WritesJobsThatRunAsTheyWereDecided) {
  World world;
  world.write("jobs.json", one_job(R"(, "steps": 7)"));
  std::filesystem::create_directory(world.folder() / "there");
  const ProgramRun told = run_jobs(world, {"jobs", "jobs.json", "--topology", "machine.json",
                                           "--choose", "-o", "there/chosen.json"});
  EXPECT_EQ(told.exit_code, 0) << told.err;
  const ProgramRun again =
      run_jobs(world, {"jobs", "there/chosen.json", "--topology", "machine.json"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NE(again.out.find("1.0000"), std::string::npos) << again.out;
}

}  // namespace
}  // namespace quintet::test
