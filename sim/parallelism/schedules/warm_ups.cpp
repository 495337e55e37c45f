#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

#include "sim/parallelism/schedules/list_schedule.h"

namespace quintet {

namespace {

// tF_i + tB_i + 2 c_i over tF_{i+1} + tB_{i+1}: the slackness that link `link` needs.
double needed_slackness(const PipelineTimes& times, std::size_t link) {
  const PassTimes& here = times.stages[link];
  const PassTimes& next = times.stages[link + 1];
  return (here.forward + here.input_gradient + 2.0 * times.delays[link]) /
         (next.forward + next.input_gradient);
}

}  // namespace

PipelineTimes pipeline_times(const std::vector<StageTimes>& stages) {
  PipelineTimes times;
  for (const StageTimes& stage : stages) {
    times.stages.push_back({stage.forward, stage.input_gradient, stage.weight_gradient});
    times.delays.push_back(stage.delay);
  }
  if (!times.delays.empty()) times.delays.pop_back();
  return times;
}

PipelineTimes even_times(int stages, const PassTimes& times) {
  const std::size_t count = static_cast<std::size_t>(stages);
  return {std::vector<PassTimes>(count, times), std::vector<Seconds>(count - 1)};
}

std::vector<int> initial_warm_ups(int activations, int stages) {
  assert(activations >= stages && stages >= 1);
  std::vector<int> warm_ups{activations};
  if (stages == 1) return {1};
  const int average = (activations - 1) / (stages - 1);
  const int more = (activations - 1) % (stages - 1);
  for (int gap = 0; gap < stages - 1; ++gap)
    warm_ups.push_back(warm_ups.back() - average - (gap < more ? 1 : 0));
  return warm_ups;
}

std::vector<int> adapted_warm_ups(int micro_batches, const PipelineTimes& times) {
  const int stages = static_cast<int>(times.stages.size());
  std::vector<int> warm_ups(times.stages.size(), 1);
  for (std::size_t link = times.stages.size() - 1; link-- > 0;) {
    const int needed = static_cast<int>(std::min(std::ceil(needed_slackness(times, link)), 1e9));
    // Algorithm 2 has no lower bound on N - 2S; without one few micro-batches would give D <= 0 and
    // no pipeline.
    const int slackness = std::max(1, std::min(micro_batches - 2 * stages, std::max(needed, 2)));
    warm_ups[link] = std::min(warm_ups[link + 1] + slackness, micro_batches);
  }
  return warm_ups;
}

std::vector<bool> absorbed_delays(const std::vector<int>& warm_ups, const PipelineTimes& times) {
  assert(warm_ups.size() == times.stages.size());
  std::vector<bool> absorbed;
  for (std::size_t link = 0; link + 1 < warm_ups.size(); ++link)
    absorbed.push_back(needed_slackness(times, link) <= warm_ups[link] - warm_ups[link + 1]);
  return absorbed;
}

}  // namespace quintet
