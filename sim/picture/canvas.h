// What drawings are made of: boxes, text, lines. Colours are Okabe and Ito's, which those tell
// apart who see no red or no green (jfly.uni-koeln.de/color, 2008), and each comes with a texture,
// so that nothing rests on colour alone.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace quintet {

struct Spot {
  double x = 0, y = 0;
};

struct Rectangle {
  double x = 0, y = 0, width = 0, height = 0;
};

// A colour with its texture.
enum class Look { blue, vermillion, yellow, purple, sky, green, grey, orange };
inline constexpr int look_count = 8;

enum class Anchor { start, middle, end };
// Soft: less important. On: upon a coloured box. Shaded: upon a shade (Canvas::shade).
enum class Ink { plain, soft, strong, on, shaded };
enum class Stroke { grid, axis, whisker, limit, frame };

// A number as it is drawn, as people read it, and with all its digits: "data-value" of its element.
struct ShownNumber {
  double value = 0;
  std::string text;
  std::string exact;
};

class Canvas {
 public:
  // `name`: the picture's.
  explicit Canvas(std::string name) : name_(std::move(name)) {}

  // `tip`: text that a pointer shows and a screen reader says. `attributes`: SVG's own, made by us.
  void box(const Rectangle& at, Look look, const std::string& tip = "",
           const std::string& attributes = "");
  // Where nothing is.
  void empty(const Rectangle& at, const std::string& tip = "");
  // Many boxes at once, none of them to be pointed at.
  void boxes(const std::vector<Rectangle>& at, Look look, const std::string& tip);
  void text(Spot at, const std::string& text, Anchor anchor = Anchor::start, Ink ink = Ink::plain);
  // At most as long as fits into `width`.
  void text_in(double width, Spot at, const std::string& text, Anchor anchor = Anchor::start,
               Ink ink = Ink::plain);
  void line(Spot from, Spot to, Stroke stroke);
  void dot(Spot at, const std::string& tip = "", bool filled = true);
  // A line in a look's colour, dashed as no other look's is; nothing through fewer than two spots.
  void curve(const std::vector<Spot>& through, Look look);
  // A dot on such a line, or a ring.
  void mark(Spot at, Look look, const std::string& tip, bool filled,
            const std::string& attributes = "");
  // A box between light (0) and dark blue (1), in which black letters are legible.
  void shade(const Rectangle& at, double share, const std::string& tip,
             const std::string& attributes = "");
  // A thick frame around what stands out.
  void outline(const Rectangle& at);
  // A swatch and its name; returns where the next may begin.
  double key(Spot at, Look look, const std::string& name);
  // Swatches in rows from `at` on; returns the height that they take.
  double keys(Spot at, double width, const std::vector<std::pair<Look, std::string>>& names);

  std::string body() const;  // with the textures that were used

 private:
  std::string paint(const std::string& shape, Look look, const std::string& attributes,
                    const std::string& tip);

  std::string name_, elements_;
  std::set<Look> used_;
};

// About how wide a text is.
double width_of(const std::string& text);

// Round numbers, at most `most` of them, within `low` to `high`.
std::vector<double> ticks(double low, double high, int most);
// "1,200" or "0.05", without needless zeros.
std::string tick_text(double value);

}  // namespace quintet
