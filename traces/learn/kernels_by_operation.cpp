#include "traces/learn/kernels_by_operation.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "traces/learn/operation_tree.h"

namespace quintet {

namespace {

constexpr std::array<std::pair<std::string_view, LearntOperation>, 21> learnt_names{{
    {"aten::mm", LearntOperation::product},
    {"aten::addmm", LearntOperation::product},
    {"aten::_scaled_mm", LearntOperation::product},
    {"aten::linear", LearntOperation::product},
    {"aten::matmul", LearntOperation::product},
    {"aten::_flash_attention_forward", LearntOperation::attention},
    {"aten::_scaled_dot_product_flash_attention", LearntOperation::attention},
    {"aten::_scaled_dot_product_cudnn_attention", LearntOperation::attention},
    {"aten::_flash_attention_backward", LearntOperation::attention_backward},
    {"aten::_scaled_dot_product_flash_attention_backward", LearntOperation::attention_backward},
    {"aten::_scaled_dot_product_cudnn_attention_backward", LearntOperation::attention_backward},
    {"aten::native_layer_norm", LearntOperation::norm},
    {"aten::layer_norm", LearntOperation::norm},
    {"aten::rms_norm", LearntOperation::norm},
    {"aten::_fused_rms_norm", LearntOperation::norm},
    {"aten::gelu", LearntOperation::activation},
    {"aten::gelu_", LearntOperation::activation},
    {"aten::silu", LearntOperation::activation},
    {"aten::silu_", LearntOperation::activation},
    {"aten::add", LearntOperation::addition},
    {"aten::add_", LearntOperation::addition},
}};

// Kernels that ran while one of another stream of their GPU did, per event.
std::vector<bool> sharing(const RankTrace& trace) {
  std::vector<bool> shares(trace.events.size());
  std::map<int, std::vector<std::size_t>> of_device;
  for (std::size_t i = 0; i < trace.events.size(); ++i)
    if (trace.events[i].kind == EventKind::kernel)
      of_device[trace.rows[static_cast<std::size_t>(trace.events[i].row)].device].push_back(i);
  for (auto& [device, kernels] : of_device) {
    std::stable_sort(kernels.begin(), kernels.end(), [&](std::size_t a, std::size_t b) {
      return trace.events[a].start < trace.events[b].start;
    });
    std::map<std::int32_t, std::size_t> running;  // the last of each row
    for (const std::size_t own : kernels) {
      for (const auto& [row, other] : running)
        if (row != trace.events[own].row && trace.events[other].end() > trace.events[own].start)
          shares[own] = shares[other] = true;
      running[trace.events[own].row] = own;
    }
  }
  return shares;
}

std::string_view text_of(const RankTrace& trace, std::int32_t name) {
  return name < 0 ? std::string_view{} : trace.names[static_cast<std::size_t>(name)];
}

std::string gpu_of(const RankTrace& trace, const TraceEvent& kernel) {
  const int device = trace.rows[static_cast<std::size_t>(kernel.row)].device;
  for (const TraceDevice& each : trace.devices)
    if (each.id == device) return each.name;
  return {};
}

class Grouping {
 public:
  explicit Grouping(const RankTrace& trace)
      : trace_(trace), tree_(trace), shares_(sharing(trace)) {}

  std::vector<OperationKernels> found() && {
    std::map<std::int32_t, OperationKernels> of_operation;
    for (std::size_t i = 0; i < trace_.events.size(); ++i) {
      const TraceEvent& kernel = trace_.events[i];
      if (kernel.kind != EventKind::kernel || is_communication(trace_, kernel)) continue;
      const std::int32_t asking = learnt_ancestor(tree_.asked_by(kernel));
      if (asking < 0) continue;
      auto [place, is_new] = of_operation.try_emplace(asking);
      if (is_new) place->second = begun(asking, kernel);
      place->second.kernels.push_back(static_cast<std::int32_t>(i));
      if (shares_[i]) place->second.alone = false;
    }
    std::vector<OperationKernels> all;
    for (auto& [event, each] : of_operation) all.push_back(std::move(each));
    return all;
  }

 private:
  const RecordedOperation* facts_of(std::int32_t event) const {
    const TraceEvent& own = trace_.events[static_cast<std::size_t>(event)];
    if (own.kind != EventKind::operation || own.facts < 0 || is_communication(trace_, own))
      return nullptr;
    return &trace_.operations[static_cast<std::size_t>(own.facts)];
  }

  std::int32_t learnt_ancestor(std::int32_t event) const {
    for (; event >= 0; event = tree_.parent_of(event)) {
      const RecordedOperation* const facts = facts_of(event);
      if (facts == nullptr || facts->shapes < 0) continue;
      const std::int32_t name = trace_.events[static_cast<std::size_t>(event)].name;
      if (learnt_operation(text_of(trace_, name)) != LearntOperation::none) return event;
    }
    return -1;
  }

  OperationKernels begun(std::int32_t event, const TraceEvent& kernel) const {
    const RecordedOperation& facts = *facts_of(event);
    OperationKernels made;
    made.name = text_of(trace_, trace_.events[static_cast<std::size_t>(event)].name);
    made.what = learnt_operation(made.name);
    made.shapes = shapes_of(text_of(trace_, facts.shapes));
    made.types = types_of(text_of(trace_, facts.types));
    made.gpu = gpu_of(trace_, kernel);
    return made;
  }

  const RankTrace& trace_;
  OperationTree tree_;
  std::vector<bool> shares_;
};

}  // namespace

LearntOperation learnt_operation(std::string_view name) {
  for (const auto& [known, what] : learnt_names)
    if (known == name) return what;
  return LearntOperation::none;
}

std::vector<OperationKernels> kernels_by_operation(const RankTrace& trace) {
  return Grouping(trace).found();
}

}  // namespace quintet
