#include <cassert>
#include <cmath>
#include <numbers>

#include "kernels/rotary.h"
#include "kernels/rotary_scaling.h"

namespace quintet::kernels {

namespace {

double llama3(const RotaryScaling& scaling, double frequency) {
  const double waves = scaling.original_positions * frequency / (2 * std::numbers::pi);
  const double low = scaling.low_frequency_factor, high = scaling.high_frequency_factor;
  if (waves < low) return frequency / scaling.factor;
  if (waves > high) return frequency;
  const double kept = (waves - low) / (high - low);
  return (1 - kept) * frequency / scaling.factor + kept * frequency;
}

}  // namespace

void scale_frequencies(const RotaryScaling& scaling, std::span<double> frequencies) {
  for (double& frequency : frequencies) {
    switch (scaling.kind) {
      case RotaryScalingKind::none:
        break;
      case RotaryScalingKind::linear:
        frequency /= scaling.factor;
        break;
      case RotaryScalingKind::llama3:
        frequency = llama3(scaling, frequency);
        break;
    }
  }
}

void rotary_frequencies(double theta, std::span<double> frequencies) {
  const auto half = static_cast<double>(frequencies.size());
  for (std::size_t i = 0; i < frequencies.size(); ++i)
    frequencies[i] = std::pow(theta, -static_cast<double>(i) / half);
}

void rotary_tables(std::span<const double> frequencies, std::span<float> cosines,
                   std::span<float> sines) {
  const std::size_t half = frequencies.size();
  assert(cosines.size() % half == 0);
  assert(sines.size() == cosines.size());
  for (std::size_t at = 0; at < cosines.size(); ++at) {
    const double angle = static_cast<double>(at / half) * frequencies[at % half];
    cosines[at] = static_cast<float>(std::cos(angle));
    sines[at] = static_cast<float>(std::sin(angle));
  }
}

}  // namespace quintet::kernels
