#include <cassert>
#include <cmath>

#include "kernels/rotary.h"

namespace quintet::kernels {

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
