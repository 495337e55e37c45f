#include "traces/report/latency_fit.h"

#include <algorithm>
#include <map>

#include "sim/base/quantile.h"

namespace quintet {

namespace {

// So many sizes are looked at: slopes are between any two.
constexpr std::size_t most_sizes = 200;

std::vector<SizedTime> medians_by_size(const std::vector<SizedTime>& times) {
  std::map<double, std::vector<double>> by_size;
  for (const SizedTime& each : times)
    if (each.time.value >= 0) by_size[each.size.value].push_back(each.time.value);
  std::vector<SizedTime> all, some;
  for (auto& [size, of] : by_size) all.push_back({{size}, {median(std::move(of))}});
  if (all.size() <= most_sizes) return all;
  for (std::size_t i = 0; i < most_sizes; ++i)
    some.push_back(all[i * (all.size() - 1) / (most_sizes - 1)]);
  return some;
}

}  // namespace

std::optional<LatencyFit> latency_fit(const std::vector<SizedTime>& times) {
  const std::vector<SizedTime> points = medians_by_size(times);
  if (points.size() < 2 || points.back().size < points.front().size * 1.5) return std::nullopt;
  std::vector<double> slopes, latencies;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = i + 1; j < points.size(); ++j)
      slopes.push_back((points[j].time - points[i].time).value /
                       (points[j].size - points[i].size).value);
  LatencyFit fit{.seconds_a_byte = median(std::move(slopes))};
  if (!(fit.seconds_a_byte > 0)) return std::nullopt;
  for (std::size_t i = 0; 2 * i < points.size(); ++i)
    latencies.push_back(points[i].time.value - points[i].size.value * fit.seconds_a_byte);
  fit.latency.value = std::max(0.0, median(std::move(latencies)));
  return fit;
}

}  // namespace quintet
