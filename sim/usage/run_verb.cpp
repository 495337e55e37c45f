#include "sim/usage/run_verb.h"

#include <cstdio>

#include "sim/usage/complain.h"

namespace quintet {

ExitCode run_verb(CLI::App& program, const Verbs& verbs, const std::vector<std::string>& given) {
  try {
    program.parse(std::vector<std::string>(given.rbegin(), given.rend()));  // as CLI11 wants them
  } catch (const CLI::CallForHelp&) {
    std::fputs(program.help().c_str(), stdout);
    return ExitCode::done;
  } catch (const CLI::Success& asked) {  // --version
    std::printf("%s\n", asked.what());
    return ExitCode::done;
  } catch (const CLI::ParseError& error) {
    return complain({"", usage_text(program, error, given)});
  }
  for (const auto& verb : verbs)
    if (verb->app->parsed()) return verb->run();
  return ExitCode::wrong_input;
}

}  // namespace quintet
