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

std::string_view name_of(HeadOfLine head_of_line) {
  switch (head_of_line) {
    case HeadOfLine::none:
      return "none";
    case HeadOfLine::launches:
      return "launches";
    case HeadOfLine::neighbours:
      return "neighbours";
  }
  return {};
}

}  // namespace quintet
