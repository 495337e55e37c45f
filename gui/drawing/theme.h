// Colours of everything that is drawn: light, dark and high contrast. Those of data are Okabe and
// Ito's (sim/picture/canvas.h), which stay apart for who sees no red or no green, and each has a
// hatching, so that nothing rests on colour alone.
#pragma once

#include <QBrush>
#include <QColor>
#include <QPalette>
#include <QString>
#include <array>
#include <string_view>

#include "sim/picture/canvas.h"

namespace quintet::gui {

enum class Appearance { light, dark, high_contrast };
std::string_view name_of(Appearance appearance);  // "light", "dark", "high-contrast"; else empty

struct Theme {
  Appearance appearance = Appearance::light;
  QColor paper, panel;        // behind drawings; behind controls
  QColor ink, soft_ink;       // text; text that matters less
  QColor grid, frame;         // lines of drawings
  QColor accent, accent_ink;  // what is chosen, and text on it
  QColor warning;             // what is broken or does not fit
  std::array<QColor, look_count> looks;
};
const Theme& theme_of(Appearance appearance);
// For the application's controls.
QPalette palette_of(const Theme& theme);

QColor color_of(const Theme& theme, Look look);
// Black or white, whichever is legible on the colour.
QColor ink_on(const QColor& color);
// The colour, hatched where its look has a texture; `scale` for devices with more pixels.
QBrush brush_of(const Theme& theme, Look look);

// From nothing (0) to full (1): viridis (S. van der Walt and N. Smith, 2015), even for the
// colour-blind and in grey; from dark to bright on dark paper, the other way on light.
QColor load_color(const Theme& theme, double share);

}  // namespace quintet::gui
