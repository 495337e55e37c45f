#include "sim/search/layer_deal.h"

#include <cstddef>

namespace quintet {

std::vector<int> dealt_layers(int layers, int pieces) {
  if (pieces < 1 || layers < pieces || layers % pieces == 0) return {};
  std::vector<int> dealt(static_cast<std::size_t>(pieces), layers / pieces + 1);
  int fewer = pieces - layers % pieces;
  std::size_t first = 0, last = dealt.size() - 1;
  for (bool at_end = true; fewer > 0; --fewer, at_end = !at_end) --dealt[at_end ? last-- : first++];
  return dealt;
}

}  // namespace quintet
