#include <algorithm>

#include "sim/frameworks/torchtitan.h"

namespace quintet::torchtitan {

std::vector<int> dealt_layers(int pieces, int layers, int first_less, int last_less) {
  if (pieces == 1) return {layers};
  const int in_all = layers + first_less + last_less;
  const int each = in_all / pieces, extra = in_all % pieces;
  std::vector<int> dealt(static_cast<std::size_t>(pieces), each);
  for (int piece = 0; piece < extra; ++piece) ++dealt[static_cast<std::size_t>(piece)];
  dealt.front() -= first_less;
  dealt.back() -= last_less;
  const bool can_be = each > 0 && first_less <= each && last_less <= each;
  return can_be ? dealt : std::vector<int>{};
}

}  // namespace quintet::torchtitan
