#include "sim/training_run/replicator_choice.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace quintet {

double target_loss(const LossCurves& curves, double within) {
  constexpr double none = std::numeric_limits<double>::infinity();
  double of_plain = none, of_all = none;
  for (const LossCurve& curve : curves.curves) {
    of_all = std::min(of_all, curve.losses.back());
    if (is_plain(curve.replicator)) of_plain = std::min(of_plain, curve.losses.back());
  }
  return (1 + within) * (of_plain < none ? of_plain : of_all);
}

std::optional<double> steps_to(const LossCurve& curve, double loss) {
  for (std::size_t at = 0; at < curve.steps.size(); ++at) {
    if (curve.losses[at] > loss) continue;
    if (at == 0) return curve.steps[0];
    const double before = curve.losses[at - 1];
    const double share = (before - loss) / (before - curve.losses[at]);
    return curve.steps[at - 1] + share * (curve.steps[at] - curve.steps[at - 1]);
  }
  return std::nullopt;
}

std::vector<RatedReplicator> rated(const LossCurves& curves,
                                   std::span<const std::optional<Seconds>> steps, double loss) {
  assert(steps.size() == curves.curves.size());
  std::vector<RatedReplicator> all;
  for (std::size_t at = 0; at < steps.size(); ++at) {
    RatedReplicator each{static_cast<int>(at), steps[at], steps_to(curves.curves[at], loss), {}};
    if (each.step && each.steps) each.time = *each.steps * *each.step;
    all.push_back(each);
  }
  std::stable_sort(all.begin(), all.end(), [](const RatedReplicator& a, const RatedReplicator& b) {
    if (!a.time || !b.time) return a.time.has_value() && !b.time;
    return *a.time < *b.time;
  });
  return all;
}

}  // namespace quintet
