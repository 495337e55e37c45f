// A script's words sorted into arguments: what of it Megatron-LM's parser would take.
#pragma once

#include <string>
#include <vector>

#include "sim/frameworks/megatron.h"
#include "sim/frameworks/shell_text.h"

namespace quintet::megatron {

struct SortedWords {
  std::vector<GivenArgument> given;
  std::vector<NotUnderstood> not_understood;
};

// Fails with "where:line" at a value that the parser refuses.
Result<SortedWords> sorted_words(const std::vector<ShellWord>& words, const std::string& where);

}  // namespace quintet::megatron
