#include "sim/validate/rows/stage_modules.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "sim/model/parameters.h"

namespace quintet {

namespace {

// Where each stage's modules end.
std::vector<int> even_ends(int modules, int stages) {
  std::vector<int> ends;
  for (int stage = 0, end = 0; stage < stages; ++stage)
    ends.push_back(end += modules / stages + (stage < modules % stages ? 1 : 0));
  return ends;
}

// Each stage takes modules while they have at most so many parameters, the last all that are left.
std::vector<int> greedy_ends(const std::vector<std::int64_t>& modules, int stages,
                             std::int64_t most) {
  std::vector<int> ends;
  std::size_t at = 0;
  for (int stage = 0; stage + 1 < stages; ++stage) {
    for (std::int64_t sum = 0; at < modules.size() && sum + modules[at] <= most; ++at)
      sum += modules[at];
    ends.push_back(static_cast<int>(at));
  }
  ends.push_back(static_cast<int>(modules.size()));
  return ends;
}

std::vector<int> balanced_ends(const std::vector<std::int64_t>& modules, int stages) {
  std::int64_t low = *std::max_element(modules.begin(), modules.end());
  std::int64_t high = std::accumulate(modules.begin(), modules.end(), std::int64_t{});
  const auto fits = [&](std::int64_t most) {
    const std::vector<int> ends = greedy_ends(modules, stages, most);
    const auto last = modules.begin() + (stages > 1 ? ends[ends.size() - 2] : 0);
    return std::accumulate(last, modules.end(), std::int64_t{}) <= most;
  };
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (fits(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return greedy_ends(modules, stages, high);
}

std::vector<std::int64_t> module_parameters(const Model& model) {
  const HeadParameters head = head_parameters(model);
  std::vector<std::int64_t> modules{embedding_parameters(model).total()};
  modules.insert(modules.end(), static_cast<std::size_t>(model.layers),
                 layer_parameters(model).total());
  modules.insert(modules.end(), {head.final_norm, head.total() - head.final_norm});
  return modules;
}

}  // namespace

// Of the modules the first is the embedding, the last two are the final norm and the head.
std::vector<int> layers_of_stages(const Model& model, StageCut cut, int stages) {
  if (stages == 1 || cut == StageCut::layers) return {};
  const std::vector<int> ends = cut == StageCut::modules
                                    ? even_ends(model.layers + 3, stages)
                                    : balanced_ends(module_parameters(model), stages);
  std::vector<int> layers;
  int begin = 0;
  for (const int end : ends) {
    layers.push_back(std::max(0, std::min(end, model.layers + 1) - std::max(begin, 1)));
    begin = end;
  }
  return layers;
}

}  // namespace quintet
