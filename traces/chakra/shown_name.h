// Names of files that may hold anything, as errors show them: on one line, and not longer than one.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace quintet::chakra {

inline std::string shown(std::string_view name) {
  constexpr std::size_t most = 80;
  std::string text(name.substr(0, most));
  std::replace_if(
      text.begin(), text.end(), [](char each) { return each >= 0 && each < ' '; }, '?');
  return name.size() > most ? text + "..." : text;
}

}  // namespace quintet::chakra
