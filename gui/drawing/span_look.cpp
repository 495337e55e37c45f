#include "gui/drawing/span_look.h"

namespace quintet::gui {

Look look_of(const SpanInfo& info) {
  switch (info.kind) {
    case SpanKind::compute:
      break;
    case SpanKind::collective:
      return Look::vermillion;
    case SpanKind::send:
    case SpanKind::receive:
      return Look::sky;
    case SpanKind::copy:
      return Look::yellow;
    case SpanKind::host:
      return Look::grey;
  }
  switch (info.phase) {
    case Phase::forward:
      return Look::blue;
    case Phase::recompute:
    case Phase::input_gradient:
    case Phase::backward:
      return Look::orange;
    case Phase::weight_gradient:
      return Look::green;
    case Phase::update:
      return Look::purple;
  }
  return Look::blue;
}

const std::vector<LookMeaning>& look_meanings() {
  static const std::vector<LookMeaning> meanings{
      {Look::blue, "forward"},  {Look::orange, "backward"},       {Look::green, "weight gradients"},
      {Look::purple, "update"}, {Look::vermillion, "collective"}, {Look::sky, "send, receive"},
      {Look::yellow, "copy"},   {Look::grey, "host, launch gap"}};
  return meanings;
}

}  // namespace quintet::gui
