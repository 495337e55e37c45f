#include "gui/window/effect_text.h"

#include <fmt/format.h>

namespace quintet::gui {

QString effect_text(const Effect& effect) {
  std::string text = effect.what.toStdString() + ": ";
  if (!effect.after)
    text += "no prediction yet, or it does not fit";
  else if (!effect.before)
    text += fmt::format("{:.1f} ms", effect.after->value * 1e3);
  else
    text += fmt::format("{:.1f} -> {:.1f} ms ({:+.1f} %)", effect.before->value * 1e3,
                        effect.after->value * 1e3,
                        (effect.after->value / effect.before->value - 1.0) * 100.0);
  if (effect.memory_before && effect.memory_after && *effect.memory_before != *effect.memory_after)
    text += fmt::format("; memory {:+.2f} GiB",
                        (effect.memory_after->value - effect.memory_before->value) / 0x1p30);
  return QString::fromStdString(text);
}

}  // namespace quintet::gui
