#include "gui/drawing/plot/scale.h"

#include <algorithm>
#include <cmath>

#include "sim/picture/canvas.h"

namespace quintet::gui {

namespace {

QString with_commas(QString digits) {
  const bool minus = digits.startsWith('-');
  const qsizetype point = digits.indexOf('.');
  qsizetype at = (point < 0 ? digits.size() : point) - 3;
  for (; at > (minus ? 1 : 0); at -= 3) digits.insert(at, ',');
  return digits;
}

}  // namespace

double round_step(double low, double high, int most) {
  const std::vector<double> all = ticks(low, high, most);
  return all.size() < 2 ? high - low : all[1] - all[0];
}

ValueRange round_range(std::span<const double> values, bool from_zero, int most) {
  if (values.empty()) return {};
  double low = *std::min_element(values.begin(), values.end());
  double high = *std::max_element(values.begin(), values.end());
  if (from_zero) {
    low = std::min(low, 0.0);
    high = std::max(high, 0.0);
  }
  if (low == high) {
    const double about = low == 0.0 ? 0.5 : std::abs(low) * 0.1;
    low -= from_zero && low == 0.0 ? 0.0 : about;
    high += from_zero && high == 0.0 ? 1.0 : about;
  }
  const double step = round_step(low, high, most);
  return {std::floor(low / step + 1e-9) * step, std::ceil(high / step - 1e-9) * step};
}

double Scale::at(double value) const {
  if (values.high == values.low) return from;
  return from + (value - values.low) / (values.high - values.low) * (to - from);
}

double Scale::value_at(double pixel) const {
  if (to == from) return values.low;
  return values.low + (pixel - from) / (to - from) * (values.high - values.low);
}

std::vector<QString> tick_texts(std::span<const double> ticks) {
  double largest = 0.0, step = 0.0;
  for (const double tick : ticks) largest = std::max(largest, std::abs(tick));
  if (ticks.size() > 1) step = std::abs(ticks[1] - ticks[0]);
  std::vector<QString> texts;
  const bool is_plain = largest < 1e7 && (step == 0.0 || step > 1e-5);
  const int decimals =
      step > 0.0 ? std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9))) : 0;
  for (const double tick : ticks)
    texts.push_back(is_plain && step > 0.0 ? with_commas(QString::number(tick, 'f', decimals))
                                           : number_text(tick));
  return texts;
}

QString number_text(double value, int digits) {
  const double size = std::abs(value);
  if (size != 0.0 && (size >= 1e7 || size < 1e-4)) return QString::number(value, 'g', digits);
  const int whole = size < 1.0 ? 1 : static_cast<int>(std::floor(std::log10(size))) + 1;
  QString text = QString::number(value, 'f', std::max(0, digits - whole));
  if (text.contains('.')) {
    while (text.endsWith('0')) text.chop(1);
    if (text.endsWith('.')) text.chop(1);
  }
  return with_commas(text);
}

}  // namespace quintet::gui
