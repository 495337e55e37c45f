// Rotary frequencies for sequences longer than those a model was first trained on, as
// "rope_scaling" in its config.json asks for them (transformers, modeling_rope_utils.py).
#pragma once

#include <span>

namespace quintet::kernels {

enum class RotaryScalingKind {
  none,
  linear,  // every frequency / factor (https://arxiv.org/abs/2306.15595)
  // Llama 3.1: of wavelengths longer than original_positions / low_frequency_factor / factor, of
  // those shorter than original_positions / high_frequency_factor nothing, in between the more the
  // longer (https://arxiv.org/abs/2407.21783, section 3.4.2; _compute_llama3_parameters()).
  llama3,
};

struct RotaryScaling {
  RotaryScalingKind kind = RotaryScalingKind::none;
  double factor = 1;
  double low_frequency_factor = 1, high_frequency_factor = 4;
  double original_positions = 8192;
  bool operator==(const RotaryScaling&) const = default;
};

// Radians per position, as rotary_frequencies() (rotary.h) makes them.
void scale_frequencies(const RotaryScaling& scaling, std::span<double> frequencies);

}  // namespace quintet::kernels
