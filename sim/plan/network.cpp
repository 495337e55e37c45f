#include "sim/plan/network.h"

namespace quintet {

std::string_view name_of(Routing routing) {
  switch (routing) {
    case Routing::ecmp:
      return "ecmp";
    case Routing::rail_pinned:
      return "rail-pinned";
    case Routing::spray:
      return "spray";
  }
  return {};
}

}  // namespace quintet
