#include "gui/timeline/time_window.h"

#include <array>

namespace quintet::gui {

namespace {

struct Unit {
  double picoseconds;
  const char* name;
};
constexpr std::array<Unit, 5> units{
    {{1e12, "s"}, {1e9, "ms"}, {1e6, "us"}, {1e3, "ns"}, {1, "ps"}}};

// The largest of which there is at least one.
Unit unit_for(double picoseconds) {
  for (const Unit& each : units)
    if (picoseconds >= each.picoseconds) return each;
  return units.back();
}

// 1, 2 or 5 times a power of ten.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

}  // namespace

TimeWindow kept_inside(TimeWindow window, const TimeWindow& whole) {
  const double most = whole.to - whole.from;
  const double length = std::clamp(window.to - window.from, std::min(shortest_window, most), most);
  const double from = std::clamp(window.from, whole.from, whole.to - length);
  return {from, from + length};
}

TimeWindow zoomed(const TimeWindow& window, double factor, double at, const TimeWindow& whole) {
  const double length = window.to - window.from;
  const double least = std::min(shortest_window, whole.to - whole.from);
  const double next = std::clamp(length * factor, least, whole.to - whole.from);
  const double from = window.from + length * at - next * at;
  return kept_inside({from, from + next}, whole);
}

TimeWindow panned(const TimeWindow& window, double share, const TimeWindow& whole) {
  const double by = (window.to - window.from) * share;
  return kept_inside({window.from + by, window.to + by}, whole);
}

TimeWindow showing(const TimeWindow& window, Instant from, Instant to, const TimeWindow& whole) {
  const auto begin = static_cast<double>(from.picoseconds);
  const auto end = static_cast<double>(to.picoseconds);
  const double length = window.to - window.from;
  const bool inside = begin >= window.from && end <= window.to;
  if (inside && (begin == end || end - begin > length / 500)) return window;
  // A bar that is too small to be seen is brought nearer.
  const double wished =
      begin == end ? length : std::clamp(length, (end - begin) * 1.5, (end - begin) * 200);
  const double middle = (begin + end) / 2;
  return kept_inside({middle - wished / 2, middle + wished / 2}, whole);
}

PixelScale scale_of(const TimeWindow& window, int width) {
  return {window.from, (window.to - window.from) / std::max(width, 1), width};
}

QString time_text(std::int64_t picoseconds, double apart) {
  const auto time = static_cast<double>(picoseconds);
  const Unit unit = unit_for(std::max(std::abs(time), apart));
  const double step = std::max(apart / unit.picoseconds, 1e-12);
  const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 12);
  return QString("%1 %2").arg(time / unit.picoseconds, 0, 'f', digits).arg(unit.name);
}

QString length_text(Duration length) {
  const auto time = static_cast<double>(length.picoseconds);
  const Unit unit = unit_for(std::abs(time));
  return QString("%1 %2").arg(time / unit.picoseconds, 0, 'g', 6).arg(unit.name);
}

std::vector<RulerTick> ruler_ticks(const PixelScale& scale, double apart) {
  const double step = round_step(std::max(scale.per_pixel * apart, 1.0));
  const double to = scale.from + scale.per_pixel * scale.width;
  std::vector<RulerTick> ticks;
  for (double at = std::ceil(scale.from / step) * step; at <= to; at += step) {
    const auto time = static_cast<std::int64_t>(std::llround(at));
    ticks.push_back({time, time == 0 ? QString("0") : time_text(time, step)});
  }
  return ticks;
}

}  // namespace quintet::gui
