// What a phase of communication puts on links, added up by link.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/network/link_load.h"
#include "sim/network/route/route.h"

namespace quintet {

// A link that nobody added to costs nothing. Shares are rounded to multiples of 2^-34, so that sums
// are exact in any order.
class LinkSums {
 public:
  void add(const Route& path, double bytes_per_byte);
  void add(LinkId link, double bytes_per_byte);
  std::vector<Usage> taken();  // in order of link; then all are gone

 private:
  void put(std::int32_t link, double bytes_per_byte);

  std::vector<double> sums_;  // by link
  std::vector<std::int32_t> touched_;
  double share_ = 0, on_grid_ = 0;  // the last that was rounded
};

}  // namespace quintet
