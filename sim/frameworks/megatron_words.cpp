#include "sim/frameworks/megatron_words.h"

#include <fmt/format.h>

#include "sim/base/shown_text.h"

namespace quintet::megatron {
namespace {

bool names_argument(const ShellWord& word) {
  return word.text.starts_with("--") && word.text.size() > 2;
}

// The words behind one that is not known, which are probably its values.
std::string with_values(const std::vector<ShellWord>& words, std::size_t& next) {
  std::string all = words[next++].text;
  while (next < words.size() && !names_argument(words[next])) all += " " + words[next++].text;
  return shown(all, 80);
}

}  // namespace

Result<SortedWords> sorted_words(const std::vector<ShellWord>& words, const std::string& where) {
  SortedWords sorted;
  std::size_t next = 0;
  while (next < words.size()) {
    const ShellWord& word = words[next];
    if (!names_argument(word)) {
      ++next;
      continue;
    }
    const std::size_t equals = word.text.find('=');
    const std::string name = word.text.substr(0, equals);
    const ArgumentRow* const row = row_of(arguments(), name);
    if (row == nullptr) {
      sorted.not_understood.push_back({word.line, with_values(words, next), "is not known here"});
      continue;
    }
    ++next;
    ShellWord value{"", word.line, word.unknown};
    if (equals != std::string::npos) {
      value.text = word.text.substr(equals + 1);
    } else if (row->type != ArgumentType::flag) {
      if (next == words.size() || names_argument(words[next]))
        return Error{fmt::format("{}:{}", where, word.line), name + " has no value"};
      value = words[next++];
    }
    if (value.unknown) {
      sorted.not_understood.push_back({word.line, shown(name + " " + value.text, 80),
                                       "has a value that the file does not set"});
      continue;
    }
    if (const auto wrong = quintet::refusal(*row, value.text))
      return Error{fmt::format("{}:{}", where, word.line), *wrong};
    sorted.given.push_back({name, value.text, word.line});
  }
  return sorted;
}

}  // namespace quintet::megatron
