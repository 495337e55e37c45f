#include "sim/plan/host_net.h"

namespace quintet {

std::string_view name_of(Launch launch) {
  switch (launch) {
    case Launch::eager:
      return "eager";
    case Launch::graphs:
      return "graphs";
  }
  return {};
}

}  // namespace quintet
