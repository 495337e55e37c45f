#include "sim/command/help/descriptions.h"

#include <array>
#include <cstdio>
#include <memory>
#include <string_view>

#include "sim/command/siblings.h"

namespace quintet {
namespace {

struct ClosePipe {
  void operator()(std::FILE* pipe) const { pclose(pipe); }
};

// For a shell, whatever blanks and quotes the folder has.
std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? "'\\''" : std::string(1, letter);
  return text + "'";
}

std::string said_by(const std::string& program) {
  const std::string line = quoted(program) + " " + describe_word + " 2>/dev/null </dev/null";
  const std::unique_ptr<std::FILE, ClosePipe> pipe(popen(line.c_str(), "r"));
  std::string said;
  std::array<char, 4096> piece{};
  while (pipe != nullptr) {
    const std::size_t read = std::fread(piece.data(), 1, piece.size(), pipe.get());
    if (read == 0) break;
    said.append(piece.data(), read);
  }
  return said;
}

VerbDescription described_by_sibling(const VerbText& verb) {
  const std::string program = sibling_program(verb.name);
  const auto found = parse_descriptions(said_by(program), program);
  if (found)
    for (const VerbDescription& each : *found)
      if (each.name == verb.name) return each;
  return {verb.name, verb.does, "", {}};
}

}  // namespace

std::vector<VerbDescription> all_descriptions(const CommandLine& program) {
  std::vector<VerbDescription> all;
  for (const auto& verb : program.verbs) all.push_back(description_of(*verb));
  for (const VerbText& verb : program.elsewhere) all.push_back(described_by_sibling(verb));
  return all;
}

std::optional<VerbDescription> description_of_verb(const CommandLine& program,
                                                   const std::string& name) {
  for (const auto& verb : program.verbs)
    if (name == verb->text.name) return description_of(*verb);
  for (const VerbText& verb : program.elsewhere)
    if (name == verb.name) return described_by_sibling(verb);
  return std::nullopt;
}

}  // namespace quintet
