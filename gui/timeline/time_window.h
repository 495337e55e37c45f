// Which part of a step is seen on how many pixels. Pure: every gesture gives another value.
#pragma once

#include <QString>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "sim/base/units.h"

namespace quintet::gui {

// In picoseconds; doubles hold them exactly for two hours.
struct TimeWindow {
  double from = 0, to = 1;
  bool operator==(const TimeWindow&) const = default;
};

// What there is to see, and no less than this is shown.
inline constexpr double shortest_window = 1000;

// Moved into `whole`, and no longer than it.
TimeWindow kept_inside(TimeWindow window, const TimeWindow& whole);
// `factor` > 1: more time; what lies at `at` (0..1 of the width) stays where it is.
TimeWindow zoomed(const TimeWindow& window, double factor, double at, const TimeWindow& whole);
TimeWindow panned(const TimeWindow& window, double share, const TimeWindow& whole);
// So that [from, to] is seen with some room; a window that shows it already stays.
TimeWindow showing(const TimeWindow& window, Instant from, Instant to, const TimeWindow& whole);

struct PixelScale {
  double from = 0, per_pixel = 1;
  int width = 0;

  // Of the pixel that the time lies in; a little outside of the picture where it does.
  int pixel(std::int64_t time) const {
    const double at = (static_cast<double>(time) - from) / per_pixel;
    return static_cast<int>(std::floor(std::clamp(at, -4.0, static_cast<double>(width) + 4)));
  }
  double position(std::int64_t time) const {
    return (static_cast<double>(time) - from) / per_pixel;
  }
  std::int64_t time(double pixel) const {
    return static_cast<std::int64_t>(std::llround(from + pixel * per_pixel));
  }
};
PixelScale scale_of(const TimeWindow& window, int width);

struct RulerTick {
  std::int64_t time = 0;
  QString text;
};
// Round times, about `apart` pixels from each other or more, in the unit that suits their distance.
std::vector<RulerTick> ruler_ticks(const PixelScale& scale, double apart);

// "8.761 s", "12.5 us": with so many digits that times `apart` differ.
QString time_text(std::int64_t picoseconds, double apart);
// With six digits.
QString length_text(Duration length);

}  // namespace quintet::gui
