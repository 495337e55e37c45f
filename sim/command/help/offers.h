// What may stand at a place of a command line: one answer for all shells.
#pragma once

#include <string>
#include <vector>

#include "sim/usage/verb.h"

namespace quintet {

struct Offer {
  std::string word;
  std::string does;  // empty: nothing to say
  bool operator==(const Offer&) const = default;
};

struct Offers {
  std::vector<Offer> offers;  // those that begin as the last word does
  bool files = false;         // files of the folder may stand there too
  bool operator==(const Offers&) const = default;
};

// `words`: what stands behind "quintet", the last being completed, maybe empty.
Offers offers_for(const CommandLine& program, const std::vector<std::string>& words);

// What the shells' scripts read: a line per offer, what it does behind a tab; a last line ":files"
// or ":none".
std::string offers_text(const Offers& offers);

}  // namespace quintet
