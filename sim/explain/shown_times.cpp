#include "sim/explain/shown_times.h"

#include "sim/base/text_table.h"

namespace quintet {

double milliseconds(Duration time) {
  return static_cast<double>(time.picoseconds) * 1e-9;
}

double share_of(Duration part, Duration whole) {
  if (whole == Duration{}) return 0;
  return static_cast<double>(part.picoseconds) / static_cast<double>(whole.picoseconds);
}

std::string percent_of(Duration part, Duration whole) {
  return whole == Duration{} ? "-" : percent(share_of(part, whole));
}

ShownTimes::ShownTimes(Duration longest) : decimals_(decimals_for(milliseconds(longest))) {}

std::string ShownTimes::ms(Duration time) const {
  return fixed(milliseconds(time), decimals_) + " ms";
}

std::string ShownTimes::signed_ms(Duration time) const {
  return signed_fixed(milliseconds(time), decimals_) + " ms";
}

}  // namespace quintet
