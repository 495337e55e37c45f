#include "traces/replay/kernel_changes.h"

namespace quintet {

namespace {

bool is_product(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::qkv_projection:
    case OperatorKind::attention:
    case OperatorKind::attention_output:
    case OperatorKind::mlp_up:
    case OperatorKind::mlp_down:
    case OperatorKind::head:
    case OperatorKind::product:
      return true;
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
    case OperatorKind::decompress:
    case OperatorKind::kernel:
    case OperatorKind::stage_total:
      return false;
  }
  return false;
}

double factor_of(const GpuChange& change, OperatorKind kind) {
  return is_product(kind) ? change.products : change.others;
}

}  // namespace

std::vector<std::int64_t> change_kernels(const Workload& workload, const KernelChanges& changes,
                                         RecordedTimes& times) {
  std::vector<std::int64_t> changed(changes.by_name.size(), 0);
  for (std::size_t rank = 0; rank < workload.ranks.size(); ++rank)
    for (std::size_t task = 0; task < workload.ranks[rank].tasks.size(); ++task) {
      const SpanInfo& info =
          workload.infos[static_cast<std::size_t>(workload.ranks[rank].tasks[task].info)];
      if (info.kind != SpanKind::compute) continue;
      double factor = changes.gpu ? factor_of(*changes.gpu, info.work) : 1.0;
      for (std::size_t i = 0; i < changes.by_name.size(); ++i) {
        if (info.name.find(changes.by_name[i].name) == std::string::npos) continue;
        factor *= changes.by_name[i].factor;
        ++changed[i];
      }
      if (factor != 1.0)
        times.work[rank][task] = duration(seconds(times.work[rank][task]) * factor);
    }
  return changed;
}

}  // namespace quintet
