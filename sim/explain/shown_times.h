// Times in a report for people.
#pragma once

#include <string>

#include "sim/timeline/timeline.h"

namespace quintet {

// To about 16 digits: for people, not for sums.
double milliseconds(Duration time);

// 0 of nothing.
double share_of(Duration part, Duration whole);
// "12.3 %", or "-" of nothing.
std::string percent_of(Duration part, Duration whole);

// "1.234 ms": all with as many decimals as the longest one deserves.
class ShownTimes {
 public:
  explicit ShownTimes(Duration longest);
  std::string ms(Duration time) const;
  std::string signed_ms(Duration time) const;

 private:
  int decimals_;
};

}  // namespace quintet
