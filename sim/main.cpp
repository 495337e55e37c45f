// quintet VERB ...: files in, prediction out.

#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "sim/command/commands.h"
#include "sim/command/complain.h"

namespace {

using quintet::ExitCode;
using Verbs = std::vector<std::unique_ptr<quintet::Verb>>;

ExitCode run(CLI::App& program, const Verbs& verbs, int count, char** given) {
  try {
    program.parse(count, given);
  } catch (const CLI::CallForHelp&) {
    std::fputs(program.help().c_str(), stdout);
    return ExitCode::done;
  } catch (const CLI::Success& asked) {  // --version
    std::printf("%s\n", asked.what());
    return ExitCode::done;
  } catch (const CLI::ParseError& error) {
    return quintet::complain({"", quintet::usage_text(program, error, {given + 1, given + count})});
  }
  for (const auto& verb : verbs)
    if (verb->app->parsed()) return verb->run();
  return ExitCode::wrong_input;
}

}  // namespace

int main(int count, char** given) {
  try {
    CLI::App program("Quintet predicts a distributed training step and says where its time goes.",
                     "quintet");
    program.set_version_flag("--version", "quintet " QUINTET_VERSION);
    program.require_subcommand(1);
    program.footer(
        "Examples:\n"
        "  quintet simulate llama-3-70b-1024-h100-tp8-pp4 --model llama-3-70b --topology "
        "dgx-h100-1024\n"
        "  quintet topology dgx-h100-1024 --path host0/gpu0 host127/gpu7\n"
        "Exit: 0 done, 1 the answer is no, 2 wrong usage or input.");
    Verbs verbs;
    verbs.push_back(quintet::add_simulate(program));
    verbs.push_back(quintet::add_topology(program));
    verbs.push_back(quintet::add_validate(program));
    verbs.push_back(quintet::add_completion(program));
    return static_cast<int>(quintet::after_writing_out(run(program, verbs, count, given)));
  } catch (const std::exception& failure) {
    return static_cast<int>(quintet::complain({"", failure.what()}));
  }
}
