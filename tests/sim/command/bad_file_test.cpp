// Files that cannot be read, or are no JSON.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>

#include "tests/sim/command/bad_input.h"
#include "tests/support/run_program.h"

namespace quintet::test {
namespace {

namespace fs = std::filesystem;

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// Knuth's MMIX generator; its high bytes are as good as noise.
std::string rubbish(std::size_t size) {
  std::string bytes;
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < size; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    bytes.push_back(static_cast<char>(state >> 56));
  }
  return bytes;
}

void remove_plan(const World& world) {
  fs::remove(world.folder() / "plan.json");
}
void make_plan_a_directory(const World& world) {
  remove_plan(world);
  fs::create_directory(world.folder() / "plan.json");
}
void make_plan_a_dangling_link(const World& world) {
  remove_plan(world);
  fs::create_symlink("nowhere.json", world.folder() / "plan.json");
}
void make_plan_a_device(const World& world) {
  remove_plan(world);
  fs::create_symlink("/dev/zero", world.folder() / "plan.json");
}
void make_plan_two_gigabytes(const World& world) {
  world.write_sparse("plan.json", "{\"name\": \"rubbish", 2'000'000'000);
}
void cut_plan_short(const World& world) {
  world.keep_first("plan.json", 60);  // in the fourth line, after  "tensor":
}
void leave_machine_an_empty_folder(const World& world) {
  fs::create_directory(world.folder() / "models");
}

const std::vector<BadInput>& rows() {
  static const std::vector<BadInput> all{
      {"MissingPlan", remove_plan, {"plan.json", "no such file", "toy-pipeline-1f1b"}},
      {"MissingModel",
       [](const World& world) { fs::remove(world.folder() / "model.json"); },
       {"model.json", "no such file", "llama-3-70b"}},
      {"MisspeltShippedName",
       [](const World&) {},
       {"llama-3-70", "did you mean \"llama-3-70b\""},
       {"simulate", "plan.json", "--model", "llama-3-70", "--topology", "machine.json"}},
      {"FolderWithoutConfig",
       leave_machine_an_empty_folder,
       {"models/config.json", "no such file"},
       {"simulate", "plan.json", "--model", "models", "--topology", "machine.json"}},
      {"DirectoryInsteadOfFile", make_plan_a_directory, {"plan.json", "directory", "file"}},
      {"DanglingLink", make_plan_a_dangling_link, {"plan.json", "no such file"}},
      {"DeviceInsteadOfFile", make_plan_a_device, {"plan.json", "not a regular file"}},
      {"EmptyFile", written("plan.json", ""), {"plan.json", "empty", "JSON"}},
      {"BlankFile", written("plan.json", " \n\t\n"), {"plan.json", "empty", "JSON"}},
      {"TwoGigabytesOfRubbish", make_plan_two_gigabytes, {"plan.json", "2 GB", "at most", "64 MB"}},
      {"MegabyteOfRubbish",
       written("machine.json", rubbish(1'000'000)),
       {"machine.json", "line 1, column", "not valid JSON"}},
      {"OneWordOfAMegabyte",
       replaced("plan.json", "{", "{\"" + repeated("y", 1'000'000) + "\": 1, "),
       {"plan.json", "yyy", "unknown key"}},
      {"CutShort", cut_plan_short, {"plan.json", "line 4, column", "not valid JSON"}},
      {"CommentInJson",
       replaced("costs.json", "{", "{ // measured\n"),
       {"costs.json", "line 1, column 3", "not valid JSON"}},
      {"TwiceTheSameKey",
       replaced("plan.json", "\"tensor\": 4,", "\"tensor\": 4, \"tensor\": 8,"),
       {"plan.json", "parallelism.tensor", "twice"}},
      {"TenThousandDeep",
       written("plan.json", repeated("[", 10'000) + repeated("]", 10'000)),
       {"plan.json", "nested deeper than 64"}},
      {"TenThousandObjectsDeep",
       written("model.json", repeated("{\"a\":", 10'000) + "1" + repeated("}", 10'000)),
       {"model.json", "nested deeper than 64"}},
      {"ArrayInsteadOfObject",
       written("plan.json", "[1, 2, 3]"),
       {"plan.json", "expected an object", "an array"}},
      {"TextInsteadOfObject",
       written("costs.json", "\"fast\""),
       {"costs.json", "expected an object", "\"fast\""}},
      {"NotANumber",
       replaced("costs.json", "\"fragmentation\": 0.03", "\"fragmentation\": NaN"),
       {"costs.json", "line 9", "not valid JSON"}},
      {"Infinity",
       replaced("costs.json", "\"fragmentation\": 0.03", "\"fragmentation\": Infinity"),
       {"costs.json", "line 9", "not valid JSON"}},
      {"OneE999",
       replaced("costs.json", "\"fragmentation\": 0.03", "\"fragmentation\": 1e999"),
       {"costs.json", "line 9", "number overflow", "1e999"}},
      {"EscapeSequences",
       replaced("plan.json", "\"25 MB\"", "\"\\u001b[2J\\u001b[31m25 MB\""),
       {"plan.json", "ccl.bucket", "?[2J"}},
  };
  return all;
}

class BadFile : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadFile, IsRefusedWithItsPlaceAndARemedy) {
  expect_refused(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Command, BadFile, ::testing::ValuesIn(rows()),
                         name_of_input<::testing::TestParamInfo<BadInput>>);

// Without this one the rows above could all fail for another reason.
TEST(GoodFiles, ArePredicted) {
  const World world;
  const ProgramRun machine = run_quintet(on_machine(), world.folder());
  EXPECT_EQ(machine.exit_code, 0) << machine.err;
  const ProgramRun chain = run_quintet(on_chain(), world.folder());
  EXPECT_EQ(chain.exit_code, 0) << chain.err;
}

}  // namespace
}  // namespace quintet::test
