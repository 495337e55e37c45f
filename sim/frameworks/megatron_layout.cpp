#include <fmt/format.h>

#include "sim/base/shown_text.h"
#include "sim/frameworks/megatron.h"
#include "sim/plan/parallelism.h"

namespace quintet::megatron {
namespace {

constexpr std::size_t longest = 100'000;  // letters of what a layout stands for

// The number behind "*", which is taken away with it; 1 where there is none, 0 where it is none.
int times(std::string_view& rest) {
  if (!rest.starts_with('*')) return 1;
  rest.remove_prefix(1);
  int number = 0;
  while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9' && number < 100'000) {
    number = number * 10 + (rest[0] - '0');
    rest.remove_prefix(1);
  }
  return number;
}

// "t*2|(t|)*2" is "tt|t|t|".
Result<std::string> spelt_out(std::string_view layout) {
  std::string all;
  while (!layout.empty()) {
    std::string_view part = layout.substr(0, 1);
    if (part == "(") {
      const std::size_t close = layout.find(')');
      if (close == std::string_view::npos) return Error{"", "\"(\" has no \")\""};
      part = layout.substr(1, close - 1);
      layout.remove_prefix(close + 1);
    } else {
      layout.remove_prefix(1);
    }
    const int count = times(layout);
    if (count == 0) return Error{"", "expected a whole number above 0 behind \"*\""};
    if (all.size() + part.size() * static_cast<std::size_t>(count) > longest)
      return Error{"", "stands for more than 100000 letters"};
    for (int repeated = 0; repeated < count; ++repeated) all += part;
  }
  return all;
}

}  // namespace

Result<std::vector<int>> layers_of_layout(std::string_view layout) {
  std::string plain;
  for (const char letter : layout)
    if (letter != ',' && letter != ' ') plain += letter;
  const Result<std::string> letters = spelt_out(plain);
  if (!letters) return letters.error();
  std::vector<int> layers{0};
  for (const char letter : *letters) {
    if (letter == 't')
      ++layers.back();
    else if (letter == '|')
      layers.push_back(0);
    else if (letter != 'E' && letter != 'L')
      return Error{"", fmt::format("expected E, t, L, \"|\" and repetitions, found {}; multi-token "
                                   "prediction (m) is no part of a plan",
                                   in_quotes(std::string(1, letter)))};
  }
  if (letters->empty() || (*letters)[0] != 'E' || letters->back() != 'L')
    return Error{"", "expected the embedding (E) first and the loss (L) last"};
  return layers;
}

std::string layout_of(const std::vector<int>& layers) {
  std::string layout = "E";
  for (std::size_t stage = 0; stage < layers.size(); ++stage)
    layout += (stage == 0 ? "" : "|") + std::string(static_cast<std::size_t>(layers[stage]), 't');
  return layout + "L";
}

}  // namespace quintet::megatron
