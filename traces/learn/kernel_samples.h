// What kernels of one rank took, with what they computed: of those whose operation tells its
// shapes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/data_type.h"
#include "sim/base/units.h"
#include "traces/learn/input_shapes.h"
#include "traces/trace/rank_trace.h"

namespace quintet {

// A product of two matrices; the time of its kernel, and of the one that adds up its parts.
struct ProductSample {
  ProductShape shape;
  DataType type = DataType::bf16;
  Seconds time;
  std::string gpu, kernel;
  bool operator==(const ProductSample&) const = default;
};

// Queries and keys are equally long, and their heads equally many.
struct AttentionTime {
  bool backward = false;
  bool causal = false;
  std::int64_t sequences = 0, heads = 0, length = 0, head_dim = 0;
  DataType type = DataType::bf16;
  Seconds time;  // of all its kernels
  std::string gpu;
  std::string library;  // "FlashAttention-2", "cuDNN"
  bool operator==(const AttentionTime&) const = default;
};

enum class MemoryBound { norm, activation, addition };

// A kernel that memory bounds, forward.
struct MemoryBoundSample {
  MemoryBound what = MemoryBound::norm;
  std::int64_t rows = 0, columns = 0;
  int tensors = 0;  // of that size it reads and writes
  DataType type = DataType::bf16;
  Seconds time;
  std::string gpu;
  bool operator==(const MemoryBoundSample&) const = default;
};

struct KernelSamples {
  std::vector<ProductSample> products;
  std::vector<AttentionTime> attentions;
  std::vector<MemoryBoundSample> memories;
  std::vector<LeftOut> left_out;  // of operations that are learnt from
  bool operator==(const KernelSamples&) const = default;
};

// Of products aten::mm, addmm, _scaled_mm, linear and matmul; of attention PyTorch's flash and
// cuDNN operations, whose kernel's name tells whether they are causal; of others layer and RMS
// norms, gelu and silu, and additions of two tensors of one shape. A kernel that shares its GPU
// with another's is left out: it took longer than by itself.
KernelSamples kernel_samples(const RankTrace& trace);

}  // namespace quintet
