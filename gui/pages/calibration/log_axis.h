// A logarithmic axis of a picture: where values lie, which of them have a tick, what ticks say.
#pragma once

#include <QString>
#include <vector>

namespace quintet::gui {

struct AxisTick {
  double value = 0;
  bool labelled = false;
};

class LogAxis {
 public:
  // Both above zero; equal ones are given room about them. At `from` stands the least; `to` may lie
  // before it (upwards).
  LogAxis(double least, double most, double from, double to);

  double at(double value) const;
  double value_at(double place) const;
  double least() const { return least_; }
  double most() const { return most_; }
  // Powers of ten with a label, those between without; 1, 2, 5 of each where powers are few, and
  // all where there is hardly one.
  std::vector<AxisTick> ticks() const;

 private:
  double least_, most_, from_, to_;
};

// "20 us", "1 GFLOP/s": three digits at most and a prefix of 1000 before the unit.
QString prefixed(double value, const QString& unit);

}  // namespace quintet::gui
