#include "gui/drawing/theme.h"

#include <algorithm>
#include <cmath>

namespace quintet::gui {

namespace {

// Okabe and Ito's, in the order of Look.
constexpr std::array<QRgb, look_count> okabe_ito{0xff0072b2, 0xffd55e00, 0xfff0e442, 0xffcc79a7,
                                                 0xff56b4e9, 0xff009e73, 0xff999999, 0xffe69f00};

constexpr std::array<Qt::BrushStyle, look_count> textures{
    Qt::SolidPattern, Qt::BDiagPattern,  Qt::SolidPattern, Qt::FDiagPattern,
    Qt::SolidPattern, Qt::Dense2Pattern, Qt::SolidPattern, Qt::VerPattern};

std::array<QColor, look_count> looks() {
  std::array<QColor, look_count> colors;
  std::transform(okabe_ito.begin(), okabe_ito.end(), colors.begin(),
                 [](QRgb rgb) { return QColor::fromRgb(rgb); });
  return colors;
}

Theme light_theme() {
  return {Appearance::light,
          QColor(0xff, 0xff, 0xff),
          QColor(0xf4, 0xf5, 0xf7),
          QColor(0x1b, 0x1f, 0x24),
          QColor(0x57, 0x60, 0x6a),
          QColor(0xe1, 0xe4, 0xe8),
          QColor(0xb8, 0xbf, 0xc6),
          QColor(0x00, 0x5c, 0xc5),
          QColor(0xff, 0xff, 0xff),
          QColor(0xb3, 0x26, 0x1e),
          looks()};
}

Theme dark_theme() {
  return {Appearance::dark,
          QColor(0x16, 0x1a, 0x20),
          QColor(0x21, 0x26, 0x2d),
          QColor(0xe6, 0xed, 0xf3),
          QColor(0xa0, 0xab, 0xb6),
          QColor(0x2d, 0x33, 0x3b),
          QColor(0x4a, 0x53, 0x5d),
          QColor(0x58, 0xa6, 0xff),
          QColor(0x0d, 0x11, 0x17),
          QColor(0xff, 0x8a, 0x7a),
          looks()};
}

Theme contrast_theme() {
  return {Appearance::high_contrast, QColor(Qt::black),
          // Qt's Fusion style draws frames darker than this: of black they would not be seen.
          QColor(0x3a, 0x3a, 0x3a), QColor(Qt::white), QColor(Qt::white), QColor(0x70, 0x70, 0x70),
          QColor(Qt::white), QColor(0xff, 0xd7, 0x00), QColor(Qt::black), QColor(0xff, 0xb0, 0xa0),
          looks()};
}

// Of viridis, evenly spaced.
constexpr std::array<QRgb, 9> viridis{0xff440154, 0xff472d7b, 0xff3b528b, 0xff2c728e, 0xff21918c,
                                      0xff28ae80, 0xff5ec962, 0xffaddc30, 0xfffde725};

QColor between(QRgb from, QRgb to, double share) {
  const auto mixed = [share](int one, int other) {
    return static_cast<int>(std::lround(one + (other - one) * share));
  };
  return {mixed(qRed(from), qRed(to)), mixed(qGreen(from), qGreen(to)),
          mixed(qBlue(from), qBlue(to))};
}

}  // namespace

std::string_view name_of(Appearance appearance) {
  switch (appearance) {
    case Appearance::light:
      return "light";
    case Appearance::dark:
      return "dark";
    case Appearance::high_contrast:
      return "high-contrast";
  }
  return "";
}

const Theme& theme_of(Appearance appearance) {
  static const std::array themes{light_theme(), dark_theme(), contrast_theme()};
  return themes[static_cast<std::size_t>(appearance)];
}

QPalette palette_of(const Theme& theme) {
  QPalette palette(theme.panel);
  palette.setColor(QPalette::Window, theme.panel);
  palette.setColor(QPalette::WindowText, theme.ink);
  palette.setColor(QPalette::Base, theme.paper);
  palette.setColor(QPalette::AlternateBase, theme.panel);
  palette.setColor(QPalette::Text, theme.ink);
  palette.setColor(QPalette::Button, theme.panel);
  palette.setColor(QPalette::ButtonText, theme.ink);
  palette.setColor(QPalette::ToolTipBase, theme.panel);
  palette.setColor(QPalette::ToolTipText, theme.ink);
  palette.setColor(QPalette::PlaceholderText, theme.soft_ink);
  palette.setColor(QPalette::Highlight, theme.accent);
  palette.setColor(QPalette::HighlightedText, theme.accent_ink);
  palette.setColor(QPalette::Link, theme.accent);
  palette.setColor(QPalette::Mid, theme.frame);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, theme.soft_ink);
  return palette;
}

QColor color_of(const Theme& theme, Look look) {
  return theme.looks[static_cast<std::size_t>(look)];
}

QColor ink_on(const QColor& color) {
  const double bright = 0.299 * color.redF() + 0.587 * color.greenF() + 0.114 * color.blueF();
  return bright > 0.5 ? QColor(Qt::black) : QColor(Qt::white);
}

QBrush brush_of(const Theme& theme, Look look) {
  return {color_of(theme, look), textures[static_cast<std::size_t>(look)]};
}

QColor load_color(const Theme& theme, double share) {
  const double clamped = std::clamp(share, 0.0, 1.0);
  const double at = (theme.appearance == Appearance::light ? 1.0 - clamped : clamped) *
                    static_cast<double>(viridis.size() - 1);
  const auto low = std::min(static_cast<std::size_t>(at), viridis.size() - 2);
  return between(viridis[low], viridis[low + 1], at - static_cast<double>(low));
}

}  // namespace quintet::gui
