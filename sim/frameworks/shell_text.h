// The part of a shell's language in which launch scripts give arguments: line continuations,
// comments, quotes, VAR=value, export, arrays VAR=( ... ) and VAR+=( ... ), and $VAR, ${VAR},
// ${VAR:-value}, ${ARRAY[@]}. Nothing is run: what would have to be (`...`, $(...)), loops and
// functions stay as they are written.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/base/result.h"

namespace quintet {

struct ShellWord {
  std::string text;
  int line = 0;          // where it is written, from 1
  bool unknown = false;  // it has a variable that the file does not set
  bool operator==(const ShellWord&) const = default;
};

struct ShellText {
  std::vector<ShellWord> words;  // of all commands, variables put in
  std::map<std::string, ShellWord> variables;
};

// Fails with "where:line" at a quote or array that does not end, or an expansion without an end.
Result<ShellText> read_shell(const std::string& text, const std::string& where);

}  // namespace quintet
