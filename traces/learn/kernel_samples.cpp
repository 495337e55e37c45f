#include "traces/learn/kernel_samples.h"

#include <map>
#include <utility>

#include "traces/learn/kernels_by_operation.h"
#include "traces/workload/kernel_names.h"

namespace quintet {

namespace {

bool has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

// What flash kernels are made for stands behind their traits: dropout, then causal.
std::optional<bool> is_causal(std::string_view kernel) {
  const std::size_t traits = kernel.find("_traits<");
  if (traits == std::string_view::npos) return std::nullopt;
  std::size_t at = traits + std::string_view("_traits<").size();
  for (int depth = 1; at < kernel.size() && depth > 0; ++at)
    depth += kernel[at] == '<' ? 1 : kernel[at] == '>' ? -1 : 0;
  const std::size_t dropout = kernel.find(',', at);
  if (dropout == std::string_view::npos) return std::nullopt;
  const std::size_t causal = kernel.find(',', dropout + 1);
  if (causal == std::string_view::npos) return std::nullopt;
  const std::string_view word =
      kernel.substr(causal + 1, kernel.find_first_of(",>", causal + 1) - causal - 1);
  if (has(word, "true")) return true;
  return has(word, "false") ? std::optional(false) : std::nullopt;
}

class Learning {
 public:
  explicit Learning(const RankTrace& trace) : trace_(trace) {}

  KernelSamples found() && {
    for (const OperationKernels& each : kernels_by_operation(trace_)) take(each);
    for (const auto& [what, count] : left_out_) made_.left_out.push_back({what, count});
    return std::move(made_);
  }

 private:
  void leave(std::string what) { ++left_out_[std::move(what)]; }

  const std::string& name_of_kernel(std::int32_t event) const {
    return trace_
        .names[static_cast<std::size_t>(trace_.events[static_cast<std::size_t>(event)].name)];
  }
  Seconds time_of(std::int32_t event) const {
    return Seconds{1e-9 * static_cast<double>(trace_.events[static_cast<std::size_t>(event)].time)};
  }
  Seconds time_of_all(const OperationKernels& given) const {
    Seconds time;
    for (const std::int32_t each : given.kernels) time += time_of(each);
    return time;
  }

  void take(const OperationKernels& given) {
    if (!given.alone) return leave("operations whose kernels shared the GPU with others");
    switch (given.what) {
      case LearntOperation::none:
        return;
      case LearntOperation::product:
        return take_product(given);
      case LearntOperation::attention:
      case LearntOperation::attention_backward:
        return take_attention(given);
      case LearntOperation::norm:
        return take_memory(given, MemoryBound::norm, 2);
      case LearntOperation::activation:
        return take_memory(given, MemoryBound::activation, 2);
      case LearntOperation::addition:
        if (given.shapes.size() < 2 || given.shapes[0] != given.shapes[1])
          return leave("additions of unequal shapes");
        return take_memory(given, MemoryBound::addition, 3);
    }
  }

  std::optional<DataType> type_of(const OperationKernels& given, std::size_t input) const {
    return input < given.types.size() ? given.types[input] : std::nullopt;
  }

  void take_product(const OperationKernels& given) {
    const auto shape = product_of(given.name, given.shapes);
    auto type = type_of(given, typed_input(given.name));
    if (!shape || !type) return leave("products of shapes or types that are not understood");
    ProductSample sample{*shape, *type, {}, given.gpu, {}};
    int products = 0;
    for (const std::int32_t each : given.kernels) {
      const std::string& name = name_of_kernel(each);
      const bool adds_up = has(name, "splitK") || has(name, "splitk");
      if (adds_up && has(name, "educe")) {
        sample.time += time_of(each);
        continue;
      }
      if (kind_of_kernel(name) != OperatorKind::product) continue;
      sample.time += time_of(each);
      sample.kernel = std::string(short_name(name));
      if (sample.type == DataType::fp32 && has(name, "tf32")) sample.type = DataType::tf32;
      ++products;
    }
    if (products != 1) return leave("products of no kernel or several");
    if (sample.time.value <= 0) return leave("kernels of no time");
    made_.products.push_back(std::move(sample));
  }

  std::optional<bool> causal(const OperationKernels& given) const {
    for (const std::int32_t each : given.kernels)
      if (const auto told = is_causal(name_of_kernel(each))) return told;
    return std::nullopt;
  }

  void take_attention(const OperationKernels& given) {
    const bool backward = given.what == LearntOperation::attention_backward;
    const std::size_t query = backward ? 1 : 0;
    if (given.shapes.size() < query + 2 || given.shapes[query].size() != 4)
      return leave("attention of shapes that are not understood");
    if (given.shapes[query] != given.shapes[query + 1])
      return leave("attention whose keys have another shape than its queries");
    const auto type = type_of(given, query);
    const auto told = causal(given);
    if (!type || !told) return leave("attention that does not tell its type or mask");
    const InputShape& shape = given.shapes[query];
    // PyTorch's own kernels take heads last but one, what calls them second.
    const bool length_first = given.name.starts_with("aten::_flash");
    AttentionTime sample{backward,
                         *told,
                         shape[0],
                         shape[length_first ? 2 : 1],
                         shape[length_first ? 1 : 2],
                         shape[3],
                         *type,
                         time_of_all(given),
                         given.gpu,
                         has(given.name, "cudnn") ? "cuDNN" : "FlashAttention-2"};
    if (sample.time.value <= 0) return leave("kernels of no time");
    made_.attentions.push_back(std::move(sample));
  }

  void take_memory(const OperationKernels& given, MemoryBound what, int tensors) {
    if (given.kernels.size() != 1)
      return leave("norms, activations and additions of several kernels");
    const auto type = type_of(given, 0);
    if (!type || given.shapes.empty() || rows_of(given.shapes[0]) <= 0 ||
        given.shapes[0].back() <= 0)
      return leave("norms, activations and additions of shapes or types that are not understood");
    const Seconds time = time_of_all(given);
    if (time.value <= 0) return leave("kernels of no time");
    made_.memories.push_back(
        {what, rows_of(given.shapes[0]), given.shapes[0].back(), tensors, *type, time, given.gpu});
  }

  const RankTrace& trace_;
  KernelSamples made_;
  std::map<std::string, std::int64_t> left_out_;
};

}  // namespace

KernelSamples kernel_samples(const RankTrace& trace) {
  return Learning(trace).found();
}

}  // namespace quintet
