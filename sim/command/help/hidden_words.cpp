#include "sim/command/help/hidden_words.h"

#include <cstdio>
#include <filesystem>

#include "sim/command/help/descriptions.h"
#include "sim/command/help/man_pages.h"
#include "sim/command/help/offers.h"
#include "sim/command/output_files.h"
#include "sim/usage/complain.h"

namespace quintet {
namespace {

ExitCode write_pages(const CommandLine& program, const std::filesystem::path& folder,
                     const PageFacts& facts) {
  const std::vector<VerbDescription> verbs = all_descriptions(program);
  if (const auto error = write_file(folder / "quintet.1", man_page(program, verbs, facts)))
    return complain(*error);
  for (const VerbDescription& verb : verbs)
    if (const auto error =
            write_file(folder / ("quintet-" + verb.name + ".1"), man_page(verb, facts)))
      return complain(*error);
  return ExitCode::done;
}

}  // namespace

std::optional<ExitCode> answer_hidden(const CommandLine& program,
                                      const std::vector<std::string>& given,
                                      const PageFacts& facts) {
  if (given.empty()) return std::nullopt;
  if (given.front() == "--complete") {
    const std::vector<std::string> words(given.begin() + 1, given.end());
    std::fputs(offers_text(offers_for(program, words)).c_str(), stdout);
    return ExitCode::done;
  }
  if (given.front() == "--man-pages" && given.size() == 2)
    return write_pages(program, given[1], facts);
  return std::nullopt;
}

}  // namespace quintet
