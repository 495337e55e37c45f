// What others' programs ask of `quintet`, and no help lists: completions and manual pages.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/command/help/man_pages.h"
#include "sim/usage/verb.h"

namespace quintet {

// `--complete WORD...`: what may stand at the last word (offers.h).
// `--man-pages FOLDER`: quintet.1 and quintet-VERB.1 of every verb are written there, those of
// siblings as far as they were built.
// Nothing where the words are neither.
std::optional<ExitCode> answer_hidden(const CommandLine& program,
                                      const std::vector<std::string>& given,
                                      const PageFacts& facts);

}  // namespace quintet
