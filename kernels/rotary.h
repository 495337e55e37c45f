// Rotary position embedding (https://arxiv.org/abs/2104.09864) in Llama's pairing, "rotate half":
// element i of a head is rotated with element i + head_size / 2.
#pragma once

#include <span>

#include "kernels/types.h"

namespace quintet::kernels {

enum class RotaryDirection { forward, backward };

struct Rotary {
  RotaryDirection direction = RotaryDirection::forward;  // backward: gradient in, gradient out
  Index rows = 0;
  Index heads = 0;
  Index head_size = 0;
  const std::int32_t* positions = nullptr;  // [rows]
  const float* cosines = nullptr;           // [positions, head_size / 2]
  const float* sines = nullptr;             // [positions, head_size / 2]
  ConstTensor input{};
  Tensor output{};  // may be the memory of input
  // Elements from one row to the next; 0: heads * head_size.
  Index input_stride = 0;
  Index output_stride = 0;
};

// theta^(-2 i / head_size) for i < head_size / 2: radians per position. Scaled variants (Llama 3.1)
// change these before the tables are made.
void rotary_frequencies(double theta, std::span<double> frequencies);

// cosines and sines [positions, frequencies.size()] of position * frequency, made in double, for as
// many positions as there is room.
void rotary_tables(std::span<const double> frequencies, std::span<float> cosines,
                   std::span<float> sines);

}  // namespace quintet::kernels
