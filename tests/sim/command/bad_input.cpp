#include "tests/sim/command/bad_input.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "tests/support/run_program.h"

namespace quintet::test {
namespace {

// A message is for a terminal: not a megabyte, and nothing that moves the cursor.
bool fit_for_a_terminal(const std::string& text) {
  constexpr std::size_t longest = 2000;
  return text.size() <= longest && std::none_of(text.begin(), text.end(), [](unsigned char each) {
           return each < ' ' && each != '\n';
         });
}

}  // namespace

Arguments on_machine() {
  return {"simulate",   "plan.json",    "--model", "model.json",
          "--topology", "machine.json", "--costs", "costs.json"};
}

Arguments on_machine(const Arguments& further) {
  Arguments all = on_machine();
  all.insert(all.end(), further.begin(), further.end());
  return all;
}

Arguments on_chain() {
  return {"simulate",   "chain_plan.json", "--model", "chain_model.json",
          "--topology", "chain.json",      "--costs", "chain_costs.json"};
}

void PrintTo(const BadInput& input, std::ostream* out) {
  *out << input.name;
}

void expect_refused(const BadInput& input) {
  const World world;
  input.spoil(world);
  const ProgramRun run = run_quintet(input.arguments, world.folder());
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(run.err.starts_with("quintet: ")) << run.err;
  EXPECT_TRUE(run.err.ends_with("\n") && !run.err.ends_with("\n\n")) << run.err;
  for (const std::string& word : input.words)
    EXPECT_NE(run.err.find(word), std::string::npos) << "no \"" << word << "\" in\n" << run.err;
  EXPECT_TRUE(fit_for_a_terminal(run.err)) << run.err.substr(0, 2000);
  EXPECT_FALSE(run.timed_out);
  EXPECT_LT(run.cpu_seconds, 5.0);
}

std::function<void(const World&)> replaced(std::string file, std::string old, std::string by) {
  return [file = std::move(file), old = std::move(old), by = std::move(by)](const World& world) {
    world.replace(file, old, by);
  };
}

std::function<void(const World&)> written(std::string file, std::string content) {
  return [file = std::move(file), content = std::move(content)](const World& world) {
    world.write(file, content);
  };
}

}  // namespace quintet::test
