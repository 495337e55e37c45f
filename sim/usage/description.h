// A command line as data: what manual pages, completion and help pages are made of, of this program
// and of its siblings, which print theirs as JSON when they are asked (`quintet-run --describe`).
#pragma once

#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/usage/verb.h"

namespace quintet {

struct OptionDescription {
  std::vector<std::string> names;  // "-o", "--output"; without dashes: known by its place
  std::string does;
  std::string value;               // "FILE"; empty: a flag
  std::string accepts;             // "1 to 1024"; empty: as `value` says
  std::string usual;               // what it is when it is left out; empty: nothing, or not said
  std::vector<std::string> words;  // a closed set
  bool required = false;
  bool several = false;
  bool operator==(const OptionDescription&) const = default;

  bool by_place() const { return !names.front().starts_with('-'); }
};

struct VerbDescription {
  std::string name, does, footer;
  std::vector<OptionDescription> options;
  bool operator==(const VerbDescription&) const = default;
};

VerbDescription description_of(const Verb& verb);

// "1 to 1024"; empty: it takes anything, or a word of a closed set.
std::string accepts_text(const Check& check);

// What run_verb() prints of a program that is asked to describe itself, and what reads it.
std::string descriptions_json(const std::vector<VerbDescription>& verbs);
Result<std::vector<VerbDescription>> parse_descriptions(const std::string& json,
                                                        const std::string& where);

inline constexpr const char* describe_word = "--describe";

}  // namespace quintet
