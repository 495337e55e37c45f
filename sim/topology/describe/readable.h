// Quantities for people: four significant digits and a fitting unit (sim/base/quantity_text.h is
// exact instead).
#pragma once

#include <string>

#include "sim/base/units.h"

namespace quintet {

// In the largest unit of which it is at least one; sizes by powers of 1024, all else of 1000.
std::string readable(Bytes size);
std::string readable(Seconds time);
std::string readable(Bandwidth rate);
std::string readable(FlopRate rate);
std::string readable(Watts power);
std::string readable(DollarsPerHour price);

}  // namespace quintet
