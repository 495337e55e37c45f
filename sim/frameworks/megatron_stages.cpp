#include "sim/frameworks/megatron.h"

namespace quintet::megatron {
namespace {

// Embedding and loss each take the place of a layer.
std::vector<int> dealt_with_ends(int layers, int stages, int pieces, const UnevenStages& uneven) {
  const int in_all = layers + (uneven.embedding ? 1 : 0) + (uneven.loss ? 1 : 0);
  if (in_all % (stages * pieces) != 0) return {};
  std::vector<int> dealt(static_cast<std::size_t>(stages * pieces), in_all / (stages * pieces));
  if (uneven.embedding) --dealt.front();
  if (uneven.loss) --dealt.back();
  return dealt;
}

}  // namespace

std::vector<int> dealt_layers(int layers, int stages, int pieces, const UnevenStages& uneven) {
  if (!uneven.first && !uneven.last) return dealt_with_ends(layers, stages, pieces, uneven);
  const int first = uneven.first.value_or(0), last = uneven.last.value_or(0);
  const int between = stages - (uneven.first ? 1 : 0) - (uneven.last ? 1 : 0);
  const int rest = layers - first - last;
  if (between < 0 || rest < 0 || first % pieces != 0 || last % pieces != 0) return {};
  if ((between == 0) != (rest == 0)) return {};
  if (between > 0 && rest % (between * pieces) != 0) return {};
  std::vector<int> dealt;
  for (int piece = 0; piece < pieces; ++piece) {
    if (uneven.first) dealt.push_back(first / pieces);
    for (int stage = 0; stage < between; ++stage) dealt.push_back(rest / between / pieces);
    if (uneven.last) dealt.push_back(last / pieces);
  }
  return dealt;
}

}  // namespace quintet::megatron
