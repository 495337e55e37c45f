#include "kernels/cuda/cudnn/cudnn_attention.h"

#include <cuda_runtime.h>

#include <limits>

#include "kernels/cuda/attention/attention_statistics.h"
#include "kernels/cuda/cudnn/attention_library.h"
#include "kernels/cuda/cudnn/cudnn_library.h"

namespace quintet::kernels::cuda {

namespace {

std::size_t round_up(std::size_t bytes) {
  constexpr std::size_t alignment = 256;
  return (bytes + alignment - 1) / alignment * alignment;
}

// cuDNN wants the statistics by sequence, ours lie by head: the same where there is one sequence.
struct Pieces {
  void* workspace;
  float* statistics;  // nullptr: the caller's own will do

  static Pieces of(Scratch& scratch, const CudnnPlan& plan, const AttentionLayout& s,
                   const Stream& stream) {
    const std::size_t workspace = round_up(static_cast<std::size_t>(plan.workspace_bytes()));
    const auto count = static_cast<std::size_t>(s.query_rows * s.query_heads);
    const std::size_t statistics = s.sequences == 1 ? 0 : count * sizeof(float);
    auto* const all = static_cast<std::byte*>(scratch.bytes(workspace + statistics, stream));
    return {all, s.sequences == 1 ? nullptr : reinterpret_cast<float*>(all + workspace)};
  }
};

void* pointer(const ConstTensor& tensor) {
  return const_cast<void*>(tensor.data);  // cuDNN's list of pointers knows no const
}

}  // namespace

CudnnAttention::CudnnAttention(const CudnnFunctions& cudnn, Refusals& refusals)
    : cudnn_(cudnn), refusals_(refusals), handle_(cudnn), plans_(cudnn, {handle_.raw, nullptr}) {}

CudnnAttention::~CudnnAttention() {
  cudnn_.destroy_handle(handle_.raw);
}

const CudnnPlan* CudnnAttention::or_refuse(const CudnnPlan* plan) {
  if (plan == nullptr) refusals_.add(plans_.why_not());
  return plan;
}

bool CudnnAttention::forward(const AttentionForward& a, const Stream& stream) {
  const CudnnPlan* const plan = or_refuse(plans_.forward(a));
  if (plan == nullptr) return false;
  const AttentionLayout& s = a.shape;
  const Pieces pieces = Pieces::of(scratch_, *plan, s, stream);
  float scale = s.scale, lowest = std::numeric_limits<float>::lowest();
  std::map<std::int64_t, void*> pointers{
      {port::query, pointer(a.query)},
      {port::key, pointer(a.key)},
      {port::value, pointer(a.value)},
      {port::output, a.output.data},
      {port::statistics, pieces.statistics == nullptr ? a.log_sum_exp : pieces.statistics},
      {port::scale, &scale}};
  if (s.mask == AttentionMask::causal) pointers[port::lowest] = &lowest;
  check(cudnn_, cudnn_.set_stream(handle_.raw, static_cast<cudaStream_t>(stream.handle)),
        "a stream");
  plan->run(handle_.raw, pointers, pieces.workspace);
  if (pieces.statistics != nullptr)
    swap_axes(pieces.statistics, a.log_sum_exp, s.sequences, s.query_heads,
              s.query_rows / s.sequences, stream);
  return true;
}

bool CudnnAttention::backward(const AttentionBackward& a, const Stream& stream) {
  const CudnnPlan* const plan = or_refuse(plans_.backward(a));
  if (plan == nullptr) return false;
  const AttentionLayout& s = a.shape;
  const Pieces pieces = Pieces::of(scratch_, *plan, s, stream);
  if (pieces.statistics != nullptr)
    swap_axes(a.log_sum_exp, pieces.statistics, s.query_heads, s.sequences,
              s.query_rows / s.sequences, stream);
  float scale = s.scale, one = 1.0F, lowest = std::numeric_limits<float>::lowest();
  float* const statistics =
      pieces.statistics == nullptr ? const_cast<float*>(a.log_sum_exp) : pieces.statistics;
  // attention_backward_workspace() floats: the gradients of the queries, and one more per row.
  float* const sums = a.workspace;
  std::map<std::int64_t, void*> pointers{
      {port::query, pointer(a.query)},
      {port::key, pointer(a.key)},
      {port::value, pointer(a.value)},
      {port::output, pointer(a.output)},
      {port::output_gradient, pointer(a.output_gradient)},
      {port::statistics, statistics},
      {port::query_gradient, a.query_gradient.data},
      {port::key_gradient, a.key_gradient.data},
      {port::value_gradient, a.value_gradient.data},
      {port::query_sums, sums},
      {port::output_products, sums + s.query_rows * s.query_heads * s.head_size},
      {port::scale, &scale},
      {port::one, &one}};
  if (s.mask == AttentionMask::causal) pointers[port::lowest] = &lowest;
  check(cudnn_, cudnn_.set_stream(handle_.raw, static_cast<cudaStream_t>(stream.handle)),
        "a stream");
  plan->run(handle_.raw, pointers, pieces.workspace);
  return true;
}

OpenedAttention open_cudnn_attention(const EnvironmentVariables& variables) {
  const OpenedCudnn library = open_cudnn(library_places(cudnn_name, variables));
  if (!library.functions)
    return {"our own kernels: cuDNN cannot be opened: " + library.why_not, {}};
  return {
      "cuDNN " + library_version_text(library.functions->version()) + " (" + library.place + ")",
      [functions = *library.functions](Refusals& refusals) {
        return std::make_unique<CudnnAttention>(functions, refusals);
      }};
}

}  // namespace quintet::kernels::cuda
