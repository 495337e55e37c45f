// Where iproute2's programs are.
#pragma once

#include <string>

#include "sim/base/result.h"

namespace quintet::engine {

struct NetworkPrograms {
  std::string ip, tc;  // paths
};

// In PATH, or where Debian puts them, which an ordinary user's PATH leaves out.
Result<NetworkPrograms> find_network_programs();

}  // namespace quintet::engine
