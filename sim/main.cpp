// quintet VERB ...: files in, prediction out.

#include <string>
#include <vector>

#include "sim/command/commands.h"
#include "sim/command/help/hidden_words.h"
#include "sim/command/siblings.h"
#include "sim/usage/build_facts.h"
#include "sim/usage/complain.h"
#include "sim/usage/memory_pages.h"
#include "sim/usage/out_of_memory.h"
#include "sim/usage/run_verb.h"

namespace {

quintet::ExitCode run(const std::vector<std::string>& given) {
  if (const auto code = quintet::become_sibling(given)) return *code;
  const quintet::BuildFacts facts = quintet::build_facts();
  const std::string version = quintet::version_text(facts);
  quintet::CommandLine program{
      "Quintet predicts a distributed training step, says where its time goes, and executes it.",
      "Examples:\n"
      "  quintet simulate llama-3-70b-1024-h100-tp8-pp4 --model llama-3-70b --topology "
      "dgx-h100-1024\n"
      "  quintet topology dgx-h100-1024 --path host0/gpu0 host127/gpu7\n"
      "Exit: 0 done, 1 the answer is no, 2 wrong usage or input.",
      version.c_str(),
      {},
      quintet::sibling_verbs()};
  program.verbs.push_back(quintet::simulate_verb());
  program.verbs.push_back(quintet::search_verb());
  program.verbs.push_back(quintet::sweep_verb());
  program.verbs.push_back(quintet::jobs_verb());
  program.verbs.push_back(quintet::plan_verb());
  program.verbs.push_back(quintet::compare_verb());
  program.verbs.push_back(quintet::topology_verb());
  program.verbs.push_back(quintet::validate_verb());
  program.verbs.push_back(quintet::schema_verb());
  program.verbs.push_back(quintet::list_verb());
  program.verbs.push_back(quintet::completion_verb());
  program.verbs.push_back(quintet::help_verb(program));
  if (const auto code = answer_hidden(program, given, {facts.version, facts.date}))
    return quintet::after_writing_out(*code);
  return quintet::after_writing_out(run_verb(program, given));
}

}  // namespace

int main(int count, char** words) {
  quintet::keep_memory();
  return static_cast<int>(quintet::guarded(
      [&] { return run(std::vector<std::string>(words + (count > 0 ? 1 : 0), words + count)); }));
}
