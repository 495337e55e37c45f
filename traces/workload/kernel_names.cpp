#include "traces/workload/kernel_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

namespace quintet {

namespace {

// The first that the name has, in small letters, decides.
constexpr std::array<std::pair<std::string_view, OperatorKind>, 24> kernel_words{{
    {"flash", OperatorKind::attention},
    {"fmha", OperatorKind::attention},
    {"mha", OperatorKind::attention},
    {"attention", OperatorKind::attention},
    {"softmax_warp", OperatorKind::attention},
    {"layer_norm", OperatorKind::norm},
    {"layernorm", OperatorKind::norm},
    {"rmsnorm", OperatorKind::norm},
    {"rms_norm", OperatorKind::norm},
    {"batch_norm", OperatorKind::norm},
    {"bn_fw", OperatorKind::norm},
    {"bn_bw", OperatorKind::norm},
    {"adam", OperatorKind::optimizer_update},
    {"multi_tensor_apply", OperatorKind::optimizer_update},
    {"sgd", OperatorKind::optimizer_update},
    {"nll_loss", OperatorKind::cross_entropy},
    {"cross_entropy", OperatorKind::cross_entropy},
    {"embedding", OperatorKind::embedding},
    {"gemm", OperatorKind::product},
    {"cutlass", OperatorKind::product},
    {"nvjet", OperatorKind::product},
    {"conv", OperatorKind::product},
    {"wgrad", OperatorKind::product},
    {"dgrad", OperatorKind::product},
}};

}  // namespace

OperatorKind kind_of_kernel(std::string_view name) {
  std::string small(name.substr(0, 256));
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char each) { return static_cast<char>(std::tolower(each)); });
  for (const auto& [word, kind] : kernel_words)
    if (small.find(word) != std::string::npos) return kind;
  return OperatorKind::kernel;
}

std::string_view short_name(std::string_view name) {
  if (name.starts_with("void ")) name.remove_prefix(5);
  const std::size_t end = name.find_first_of("<(", name.starts_with("(anonymous") ? 1 : 0);
  return end == std::string_view::npos || end == 0 ? name : name.substr(0, end);
}

}  // namespace quintet
