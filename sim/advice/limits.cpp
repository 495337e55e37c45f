#include "sim/advice/limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/plan/parallelism.h"

namespace quintet {
namespace {

enum class Work { arithmetic, memory_bound, whole_stages };

Work work_of(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::qkv_projection:
    case OperatorKind::attention:
    case OperatorKind::attention_output:
    case OperatorKind::mlp_up:
    case OperatorKind::mlp_down:
    case OperatorKind::head:
    case OperatorKind::product:
      return Work::arithmetic;
    case OperatorKind::stage_total:
      return Work::whole_stages;
    case OperatorKind::embedding:
    case OperatorKind::norm:
    case OperatorKind::qk_norm:
    case OperatorKind::rotary:
    case OperatorKind::residual:
    case OperatorKind::mlp_activation:
    case OperatorKind::cross_entropy:
    case OperatorKind::gradient_scale:
    case OperatorKind::gradient_norm:
    case OperatorKind::gradient_clip:
    case OperatorKind::gradient_add:
    case OperatorKind::optimizer_update:
    case OperatorKind::cast:
    case OperatorKind::presort:
    case OperatorKind::compress:
    case OperatorKind::kernel:
    case OperatorKind::decompress:
      return Work::memory_bound;
  }
  return Work::memory_bound;
}

Duration computed(const RankBreakdown& mean, Work work) {
  Duration sum;
  for (const OperatorTime& each : mean.operators)
    if (work_of(each.work) == work) sum += each.time;
  return sum;
}

// In the same order for every step.
std::vector<Limit> pieces(const RankBreakdown& mean) {
  std::vector<Limit> all;
  const auto add = [&](std::string name, Duration time) {
    all.push_back({std::move(name), seconds(time), "", {}});
  };
  add("products and attention", computed(mean, Work::arithmetic));
  add("memory-bound kernels", computed(mean, Work::memory_bound));
  add("whole stages, as measured", computed(mean, Work::whole_stages));
  // What no operator is named for; an evaluation in closed form may have no more.
  Duration named;
  for (const OperatorTime& each : mean.operators) named += each.time;
  add("compute", mean.compute - named);
  for (int axis = 0; axis < axis_count; ++axis)
    add(fmt::format("exposed {} communication", name_of(static_cast<Axis>(axis))),
        mean.exposed[static_cast<std::size_t>(axis)]);
  add("pipeline bubble", mean.bubble);
  add("waiting for peers", mean.waiting);
  add("copies", mean.copy);
  add("launches and host work", mean.host);
  add("idle", mean.idle);
  return all;
}

}  // namespace

std::vector<Limit> limits_of(const RankBreakdown& mean, const std::vector<MachineWorth>& parts) {
  constexpr double least_share = 0.01;
  std::vector<Limit> all = pieces(mean);
  for (const MachineWorth& part : parts) {
    if (!part.of || !part.where) continue;
    const std::vector<Limit> then = pieces(*part.where);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Seconds taken = all[i].time - then[i].time;
      if (taken <= all[i].eased || taken < least_share * all[i].time) continue;
      all[i].eased_by = part.part;
      all[i].eased = taken;
    }
  }
  std::erase_if(all, [](const Limit& each) { return each.time <= Seconds{}; });
  std::stable_sort(all.begin(), all.end(),
                   [](const Limit& left, const Limit& right) { return left.time > right.time; });
  return all;
}

}  // namespace quintet
