// What every operator's arguments are made of: element types, untyped pointers, a stream.
#pragma once

#include <cstdint>

namespace quintet::kernels {

using Index = std::int64_t;

// Upper half of an fp32 (https://arxiv.org/abs/1905.12322).
struct Bfloat16 {
  std::uint16_t bits = 0;
};

// IEEE 754 binary16.
struct Float16 {
  std::uint16_t bits = 0;
};

// fp16 is known to the cast only; every other operator takes fp32 and bf16.
enum class ElementType { fp32, bf16, fp16 };

// Memory that is written, with what lies there; no memory: an optional argument left out.
struct Tensor {
  void* data = nullptr;
  ElementType type = ElementType::fp32;

  Tensor() = default;
  Tensor(void* memory, ElementType elements) : data(memory), type(elements) {}
  Tensor(float* memory) : data(memory) {}
  Tensor(Bfloat16* memory) : data(memory), type(ElementType::bf16) {}
  Tensor(Float16* memory) : data(memory), type(ElementType::fp16) {}
};

struct ConstTensor {
  const void* data = nullptr;
  ElementType type = ElementType::fp32;

  ConstTensor() = default;
  ConstTensor(const void* memory, ElementType elements) : data(memory), type(elements) {}
  ConstTensor(const float* memory) : data(memory) {}
  ConstTensor(const Bfloat16* memory) : data(memory), type(ElementType::bf16) {}
  ConstTensor(const Float16* memory) : data(memory), type(ElementType::fp16) {}
  ConstTensor(const Tensor& tensor) : data(tensor.data), type(tensor.type) {}
};

// What becomes of a gradient that already lies there.
enum class GradientWrite { overwrite, accumulate };

// Where asynchronous work queues up: a cudaStream_t one day. The CPU works at once and ignores it.
struct Stream {
  void* handle = nullptr;
};

}  // namespace quintet::kernels
