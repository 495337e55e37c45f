// Words for where and when something was measured.
#pragma once

#include <string>

namespace quintet::calibrate {

std::string processor_name();  // as the kernel calls it
// "AMD EPYC, Linux 6.1, 2026-11-22"
std::string where_and_when();

}  // namespace quintet::calibrate
