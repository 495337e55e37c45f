#include "sim/topology/describe/readable.h"

#include <cstdio>
#include <initializer_list>

namespace quintet {
namespace {

struct Scale {
  double factor;
  const char* unit;
};

// The largest unit that leaves at least 1 before the point; the scales go from large to small.
std::string scaled(double value, std::initializer_list<Scale> scales) {
  const Scale* fitting = scales.end() - 1;
  for (const Scale& scale : scales)
    if (value >= scale.factor * (1.0 - 1e-9)) {
      fitting = &scale;
      break;
    }
  char text[48];
  std::snprintf(text, sizeof text, "%.4g %s", value / fitting->factor, fitting->unit);
  return text;
}

}  // namespace

std::string readable(Bytes size) {
  return scaled(size.value, {{1099511627776.0, "TiB"},
                             {1073741824.0, "GiB"},
                             {1048576.0, "MiB"},
                             {1024.0, "KiB"},
                             {1.0, "B"}});
}
std::string readable(Seconds time) {
  return time == Seconds{}
             ? "0 s"
             : scaled(time.value, {{1.0, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}});
}
std::string readable(Bandwidth rate) {
  return scaled(rate.value,
                {{1e12, "TB/s"}, {1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "KB/s"}, {1.0, "B/s"}});
}
std::string readable(FlopRate rate) {
  return scaled(rate.value, {{1e15, "PFLOP/s"}, {1e12, "TFLOP/s"}, {1e9, "GFLOP/s"}});
}
std::string readable(Watts power) {
  return scaled(power.value, {{1e6, "MW"}, {1e3, "kW"}, {1.0, "W"}});
}
std::string readable(DollarsPerHour price) {
  char text[48];
  std::snprintf(text, sizeof text, "%.2f $/h", price.value);
  return text;
}

}  // namespace quintet
