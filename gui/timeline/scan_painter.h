// Bars written straight into the lines of an image: ten times as fast as a rectangle each.
#pragma once

#include <QImage>
#include <array>
#include <cstdint>
#include <vector>

#include "gui/drawing/theme.h"
#include "gui/timeline/pieces.h"

namespace quintet::gui {

// Colours and textures of bars, which repeat every eight pixels.
class BarTiles {
 public:
  static constexpr int side = 8;
  using Tile = std::array<std::array<QRgb, side>, side>;

  explicit BarTiles(const Theme& theme);

  const Tile& of(Look look) const { return single_[static_cast<std::size_t>(look)]; }
  // Several bars in one column: every second pixel darker or lighter than the paper allows.
  const Tile& merged(Look look) const { return merged_[static_cast<std::size_t>(look)]; }
  QRgb edge(Look look) const { return edges_[static_cast<std::size_t>(look)]; }
  bool plain(Look look) const { return plain_[static_cast<std::size_t>(look)]; }

 private:
  std::array<Tile, look_count> single_, merged_;
  std::array<QRgb, look_count> edges_;
  std::array<bool, look_count> plain_;
};

// Bars of this width and more have an edge at their left, so that neighbours of one colour are two.
inline constexpr int edged_pixels = 5;

class ScanPainter {
 public:
  // Both outlive it. The image is of Format_RGB32.
  ScanPainter(QImage& image, const BarTiles& tiles) : image_(image), tiles_(tiles) {}

  // From pixel `left` of the image on, lines [top, top + height), where they lie inside it.
  void paint_row(const BarStore& bars, std::size_t row, const PixelScale& scale, int left, int top,
                 int height);
  // Without merging: what paint_row must look like where every bar is wide enough.
  void paint_row_bar_by_bar(const BarStore& bars, std::size_t row, const PixelScale& scale,
                            int left, int top, int height);

 private:
  struct Run {
    int left, right;
    Look look;
    bool merged;
  };
  void add(const Piece& piece, const BarStore& bars, const PixelScale& scale);
  void paint_runs(int left, int top, int height);
  void paint_line(QRgb* line, int y) const;

  QImage& image_;
  const BarTiles& tiles_;
  std::vector<Run> runs_;
};

}  // namespace quintet::gui
