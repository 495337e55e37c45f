#include "engine/files/data/pre_tokenise.h"

#include <array>

#include "engine/files/data/characters.h"

namespace quintet {
namespace {

struct Character {
  CharacterClass kind;
  std::size_t length;
};

Character character_at(std::string_view text, std::size_t at) {
  const Utf8Character read = first_character(text.substr(at));
  return {read.code_point ? class_of(*read.code_point) : CharacterClass::other, read.length};
}

std::size_t contraction(std::string_view text) {
  constexpr std::array<std::string_view, 7> endings{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};
  for (const std::string_view ending : endings)
    if (text.starts_with(ending)) return ending.size();
  return 0;
}

struct Run {
  std::size_t end;
  std::size_t last;  // where its last character begins
};

Run run_of(std::string_view text, std::size_t from, CharacterClass kind) {
  Run run{from, from};
  while (run.end < text.size()) {
    const Character next = character_at(text, run.end);
    if (next.kind != kind) break;
    run.last = run.end;
    run.end += next.length;
  }
  return run;
}

// "\s+(?!\S)|\s+": before a word, the last space is left to it.
std::size_t spaces(std::string_view text) {
  const Run run = run_of(text, 0, CharacterClass::space);
  const bool before_a_word = run.end < text.size() && run.last > 0;
  return before_a_word ? run.last : run.end;
}

}  // namespace

std::string_view first_word(std::string_view text) {
  if (const std::size_t length = contraction(text); length > 0) return text.substr(0, length);
  const std::size_t start = text.size() > 1 && text.front() == ' ' ? 1 : 0;
  const CharacterClass kind = character_at(text, start).kind;
  if (kind == CharacterClass::space) return text.substr(0, spaces(text));
  return text.substr(0, run_of(text, start, kind).end);
}

}  // namespace quintet
