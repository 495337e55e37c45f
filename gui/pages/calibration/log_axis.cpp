#include "gui/pages/calibration/log_axis.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

namespace quintet::gui {

LogAxis::LogAxis(double least, double most, double from, double to)
    : least_(least), most_(most), from_(from), to_(to) {
  const double room = most_ <= least_ * 1.2 ? 1.5 : 1.15;
  least_ /= room;
  most_ *= room;
}

double LogAxis::at(double value) const {
  return from_ + (to_ - from_) * std::log(value / least_) / std::log(most_ / least_);
}

double LogAxis::value_at(double place) const {
  return least_ * std::pow(most_ / least_, (place - from_) / (to_ - from_));
}

std::vector<AxisTick> LogAxis::ticks() const {
  const double decades = std::log10(most_ / least_);
  const int apart = decades > 7 ? 2 : 1;  // powers from label to label
  std::vector<AxisTick> ticks;
  for (int power = static_cast<int>(std::floor(std::log10(least_))); std::pow(10, power) <= most_;
       ++power)
    for (int digit = 1; digit < 10; ++digit) {
      const double value = digit * std::pow(10, power);
      if (value < least_ || value > most_) continue;
      const bool few = decades < 0.6 || (decades < 2.5 && (digit == 2 || digit == 5));
      ticks.push_back({value, (digit == 1 && power % apart == 0) || few});
    }
  return ticks;
}

QString prefixed(double value, const QString& unit) {
  constexpr std::array<std::pair<double, const char*>, 9> prefixes{{{1e15, "P"},
                                                                    {1e12, "T"},
                                                                    {1e9, "G"},
                                                                    {1e6, "M"},
                                                                    {1e3, "k"},
                                                                    {1.0, ""},
                                                                    {1e-3, "m"},
                                                                    {1e-6, "u"},
                                                                    {1e-9, "n"}}};
  for (const auto& [size, prefix] : prefixes)
    if (value >= size * 0.9995)
      return QString::fromStdString(fmt::format("{:.3g} {}", value / size, prefix)) + unit;
  return QString::number(value, 'g', 3) + " " + unit;
}

}  // namespace quintet::gui
