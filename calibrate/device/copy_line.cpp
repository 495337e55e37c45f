#include "calibrate/device/copy_line.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/base/quantile.h"

namespace quintet::calibrate {
namespace {

struct Line {
  double start = 0, per_byte = 0;
};

// Least squares of (start + per_byte size) / time - 1; the start is not below 0.
std::optional<Line> least_squares(std::span<const CopyTime> times) {
  double uu = 0, uv = 0, vv = 0, u = 0, v = 0;  // of u = 1 / time, v = size / time
  for (const CopyTime& each : times) {
    const double one = 1 / each.time.value, size = each.size.value / each.time.value;
    uu += one * one;
    uv += one * size;
    vv += size * size;
    u += one;
    v += size;
  }
  const double determinant = uu * vv - uv * uv;
  if (!(determinant > 1e-12 * uu * vv)) return std::nullopt;  // all of one size
  Line line{(u * vv - v * uv) / determinant, (v * uu - u * uv) / determinant};
  if (line.start < 0) line = {0, v / vv};
  if (!(line.per_byte > 0)) return std::nullopt;
  return line;
}

double held_out_error(std::span<const CopyTime> times) {
  std::vector<double> errors;
  for (std::size_t left_out = 0; left_out < times.size(); ++left_out) {
    std::vector<CopyTime> others(times.begin(), times.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
    const auto line = least_squares(others);
    if (!line) continue;
    const CopyTime& told = times[left_out];
    errors.push_back(
        std::abs((line->start + line->per_byte * told.size.value) / told.time.value - 1));
  }
  return errors.empty() ? 1 : lower_median(std::move(errors));
}

}  // namespace

Seconds time_of(Bytes size, const CopyLine& line) {
  return line.start + size / line.rate;
}

std::optional<CopyLine> copy_line(std::span<const CopyTime> times) {
  std::vector<CopyTime> usable(times.begin(), times.end());
  std::erase_if(usable, [](const CopyTime& each) { return !(each.time > Seconds{}); });
  if (usable.size() < 3) return std::nullopt;
  const auto line = least_squares(usable);
  if (!line) return std::nullopt;
  return CopyLine{Seconds{line->start}, Bandwidth{1 / line->per_byte}, held_out_error(usable)};
}

}  // namespace quintet::calibrate
