#include "sim/timeline/timeline.h"

namespace quintet {

std::string_view name_of(SpanKind kind) {
  switch (kind) {
    case SpanKind::compute:
      return "compute";
    case SpanKind::collective:
      return "collective";
    case SpanKind::send:
      return "send";
    case SpanKind::receive:
      return "receive";
    case SpanKind::copy:
      return "copy";
    case SpanKind::host:
      return "host";
  }
  return "unknown";
}

}  // namespace quintet
