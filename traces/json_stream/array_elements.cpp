#include "traces/json_stream/array_elements.h"

#include <cstddef>

namespace quintet::json_stream {
namespace {

constexpr std::string_view white_space = " \n\r\t";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(white_space);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(white_space) - first + 1);
}

}  // namespace

std::vector<std::string_view> array_elements(std::string_view array) {
  array = trimmed(array);
  if (array.size() < 2 || array.front() != '[' || array.back() != ']') return {};
  std::vector<std::string_view> elements;
  std::size_t begin = 1;
  int depth = 0;
  bool in_string = false;
  for (std::size_t at = 1; at + 1 < array.size(); ++at) {
    const char character = array[at];
    if (in_string) {
      at += character == '\\' ? 1 : 0;
      in_string = character != '"';
    } else if (character == '"') {
      in_string = true;
    } else if (character == '[' || character == '{') {
      ++depth;
    } else if (character == ']' || character == '}') {
      --depth;
    } else if (character == ',' && depth == 0) {
      elements.push_back(trimmed(array.substr(begin, at - begin)));
      begin = at + 1;
    }
  }
  const std::string_view last = trimmed(array.substr(begin, array.size() - 1 - begin));
  if (!last.empty() || !elements.empty()) elements.push_back(last);
  return elements;
}

std::string_view without_quotes(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return text;
  return text.substr(1, text.size() - 2);
}

}  // namespace quintet::json_stream
