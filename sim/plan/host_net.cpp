#include "sim/plan/host_net.h"

namespace quintet {

std::string_view name_of(Delivery delivery) {
  switch (delivery) {
    case Delivery::direct:
      return "direct";
    case Delivery::staged:
      return "staged";
    case Delivery::delegated:
      return "delegated";
  }
  return {};
}

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
