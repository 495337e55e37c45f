#include <array>
#include <cmath>

#include "sim/base/shown_text.h"
#include "sim/base/text_table.h"
#include "traces/report/finding_text.h"

namespace quintet {

namespace {

struct Scale {
  double unit = 1;
  const char* name = "";
};

template <std::size_t size>
std::string scaled_text(double value, const std::array<Scale, size>& scales) {
  const Scale* chosen = &scales.back();
  for (const Scale& scale : scales)
    if (std::abs(value) >= scale.unit) {
      chosen = &scale;
      break;
    }
  const double shown = value / chosen->unit;
  const int decimals = std::abs(shown) >= 100 ? 0 : std::abs(shown) >= 10 ? 1 : 2;
  return fixed(shown, decimals) + " " + chosen->name;
}

}  // namespace

std::string short_text(Duration time) {
  constexpr std::array scales{Scale{1, "s"}, Scale{1e-3, "ms"}, Scale{1e-6, "us"},
                              Scale{1e-9, "ns"}};
  return scaled_text(seconds(time).value, scales);
}

std::string short_text(Bandwidth rate) {
  constexpr std::array scales{Scale{1e9, "GB/s"}, Scale{1e6, "MB/s"}, Scale{1e3, "kB/s"},
                              Scale{1, "B/s"}};
  return scaled_text(rate.value, scales);
}

std::string short_text(Bytes size) {
  constexpr std::array scales{Scale{1073741824.0, "GiB"}, Scale{1048576.0, "MiB"},
                              Scale{1024.0, "KiB"}, Scale{1, "B"}};
  return scaled_text(size.value, scales);
}

std::string short_name(const std::string& name) {
  return shown(name, 60);
}

}  // namespace quintet
