#include "sim/picture/canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/shown_text.h"
#include "sim/picture/picture.h"

namespace quintet {

namespace {

constexpr double letter_width = 6.6, key_size = 12;

struct Paint {
  const char *name, *colour, *texture;  // of a tile of 8 by 8; empty: plain
  const char* dashes;                   // of lines; empty: none
};

const Paint& paint_of(Look look) {
  static constexpr std::array<Paint, look_count> paints{{
      {"blue", "#56b4e9", "", "2 2"},
      {"vermillion", "#d55e00", R"(<path class="texture" d="M-2 2L2-2M0 8L8 0M6 10L10 6"/>)",
       "7 3"},
      {"yellow", "#f0e442", R"(<circle class="speck" cx="4" cy="4" r="1.2"/>)", ""},
      {"purple", "#cc79a7", R"(<path class="texture" d="M-2 6L2 10M0 0L8 8M6-2L10 2"/>)",
       "9 3 2 3"},
      {"sky", "#0072b2", R"(<path class="texture" d="M0 4H8"/>)", ""},
      {"green", "#009e73", R"(<path class="texture" d="M4 0V8"/>)", "4 3"},
      {"grey", "#b0b0b0", R"(<path class="texture" d="M0 0L8 8M8 0L0 8"/>)", "1 4"},
      {"orange", "#e69f00", R"(<path class="texture" d="M0 4H8M4 0V8"/>)", "12 4"},
  }};
  return paints.at(static_cast<std::size_t>(look));
}

const char* name_of(Ink ink) {
  switch (ink) {
    case Ink::plain:
      return "plain";
    case Ink::soft:
      return "soft";
    case Ink::strong:
      return "strong";
    case Ink::on:
      return "on";
    case Ink::shaded:
      return "shaded";
  }
  return "";
}

const char* name_of(Stroke stroke) {
  switch (stroke) {
    case Stroke::grid:
      return "grid";
    case Stroke::axis:
      return "axis";
    case Stroke::whisker:
      return "whisker";
    case Stroke::limit:
      return "limit";
    case Stroke::frame:
      return "frame";
  }
  return "";
}

const char* name_of(Anchor anchor) {
  switch (anchor) {
    case Anchor::start:
      return "start";
    case Anchor::middle:
      return "middle";
    case Anchor::end:
      return "end";
  }
  return "";
}

// A hundredth of a unit is less than can be seen, but heights that are to sum need more.
std::string number(double value) {
  return fmt::format("{:.6g}", std::abs(value) < 1e-9 ? 0.0 : value);
}

std::string rectangle(const Rectangle& at) {
  return fmt::format(R"(rect x="{}" y="{}" width="{}" height="{}")", number(at.x), number(at.y),
                     number(std::max(0.0, at.width)), number(std::max(0.0, at.height)));
}

std::string path_of(const std::vector<Rectangle>& at) {
  std::string path;
  for (const Rectangle& box : at)
    path += fmt::format("M{} {}h{}v{}h-{}z", number(box.x), number(box.y), number(box.width),
                        number(box.height), number(box.width));
  return "path d=\"" + path + "\"";
}

// "<rect .../>", or with its title inside.
std::string closed(const std::string& begun, const std::string& kind, const std::string& tip) {
  if (tip.empty()) return begun + "/>\n";
  return begun + "><title>" + xml_text(tip) + "</title></" + kind + ">\n";
}

}  // namespace

std::string Canvas::paint(const std::string& shape, Look look, const std::string& attributes,
                          const std::string& tip) {
  const Paint& paint = paint_of(look);
  const std::string kind = shape.substr(0, shape.find(' '));
  const std::string more = attributes.empty() ? "" : " " + attributes;
  if (*paint.texture == '\0')
    return closed(fmt::format(R"(<{}{} class="edge" fill="{}")", shape, more, paint.colour), kind,
                  tip);
  used_.insert(look);
  return closed(
      fmt::format(R"svg(<{}{} class="edge" fill="url(#{}-{})")svg", shape, more, name_, paint.name),
      kind, tip);
}

void Canvas::box(const Rectangle& at, Look look, const std::string& tip,
                 const std::string& attributes) {
  elements_ += paint(rectangle(at), look, attributes, tip);
}

void Canvas::empty(const Rectangle& at, const std::string& tip) {
  elements_ += closed("<" + rectangle(at) + " class=\"empty\"", "rect", tip);
}

void Canvas::boxes(const std::vector<Rectangle>& at, Look look, const std::string& tip) {
  if (!at.empty()) elements_ += paint(path_of(at), look, "", tip);
}

void Canvas::text(Spot at, const std::string& text, Anchor anchor, Ink ink) {
  elements_ +=
      fmt::format(R"(<text x="{}" y="{}" text-anchor="{}" class="{}">{}</text>)"
                  "\n",
                  number(at.x), number(at.y), name_of(anchor), name_of(ink), xml_text(text));
}

void Canvas::text_in(double width, Spot at, const std::string& whole, Anchor anchor, Ink ink) {
  const auto fitting = static_cast<std::size_t>(std::max(4.0, width / letter_width));
  const std::size_t dots = whole.size() > fitting ? 3 : 0;
  text(at, shown(whole, fitting - dots), anchor, ink);
}

void Canvas::line(Spot from, Spot to, Stroke stroke) {
  elements_ +=
      fmt::format(R"(<path class="{}" d="M{} {}L{} {}"/>)"
                  "\n",
                  name_of(stroke), number(from.x), number(from.y), number(to.x), number(to.y));
}

void Canvas::dot(Spot at, const std::string& tip, bool filled) {
  elements_ += closed(fmt::format(R"(<circle class="{}" cx="{}" cy="{}" r="4")",
                                  filled ? "dot" : "ring", number(at.x), number(at.y)),
                      "circle", tip);
}

void Canvas::curve(const std::vector<Spot>& through, Look look) {
  if (through.size() < 2) return;
  std::string path;
  for (const Spot& spot : through)
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L", number(spot.x), number(spot.y));
  const Paint& paint = paint_of(look);
  elements_ += fmt::format(R"(<path class="curve" stroke="{}" stroke-dasharray="{}" d="{}"/>)"
                           "\n",
                           paint.colour, *paint.dashes == '\0' ? "none" : paint.dashes, path);
}

void Canvas::mark(Spot at, Look look, const std::string& tip, bool filled,
                  const std::string& attributes) {
  const char* const colour = paint_of(look).colour;
  elements_ +=
      closed(fmt::format(R"(<circle class="mark" {} cx="{}" cy="{}" r="4" stroke="{}" fill="{}")",
                         attributes, number(at.x), number(at.y), colour, filled ? colour : "none"),
             "circle", tip);
}

void Canvas::shade(const Rectangle& at, double share, const std::string& tip,
                   const std::string& attributes) {
  // From #f7fbff to #6baed6: 8 to 1 against black at the darkest.
  const auto between = [&](int light, int dark) {
    return static_cast<int>(std::lround(light + std::clamp(share, 0.0, 1.0) * (dark - light)));
  };
  elements_ +=
      closed(fmt::format(R"(<{} {} class="edge" fill="#{:02x}{:02x}{:02x}")", rectangle(at),
                         attributes, between(0xf7, 0x6b), between(0xfb, 0xae), between(0xff, 0xd6)),
             "rect", tip);
}

void Canvas::outline(const Rectangle& at) {
  elements_ += closed("<" + rectangle(at) + " class=\"outline\"", "rect", "");
}

double Canvas::key(Spot at, Look look, const std::string& name) {
  box({at.x, at.y - key_size + 2, key_size, key_size}, look);
  text({at.x + key_size + 5, at.y}, name);
  return at.x + key_size + 5 + width_of(name) + 14;
}

double Canvas::keys(Spot at, double width, const std::vector<std::pair<Look, std::string>>& names) {
  constexpr double line_height = 18;
  Spot next = at;
  for (const auto& [look, name] : names) {
    if (next.x > at.x && next.x + key_size + 5 + width_of(name) > at.x + width)
      next = {at.x, next.y + line_height};
    next.x = key(next, look, name);
  }
  return names.empty() ? 0 : next.y - at.y + line_height;
}

std::string Canvas::body() const {
  if (used_.empty()) return elements_;
  std::string textures;
  for (const Look look : used_) {
    const Paint& paint = paint_of(look);
    textures +=
        fmt::format(R"(<pattern id="{}-{}" width="8" height="8" patternUnits="userSpaceOnUse">)"
                    R"(<rect width="8" height="8" fill="{}"/>{}</pattern>)",
                    name_, paint.name, paint.colour, paint.texture);
  }
  return "<defs>" + textures + "</defs>\n" + elements_;
}

double width_of(const std::string& text) {
  const auto letters = std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  });
  return letter_width * static_cast<double>(letters);
}

std::vector<double> ticks(double low, double high, int most) {
  if (!(high > low) || most < 1) return {};
  const double rough = (high - low) / most;
  const double decade = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * decade;
  for (const double digit : {5.0, 2.0, 1.0})
    if (digit * decade >= rough) step = digit * decade;
  std::vector<double> all;
  const auto first = static_cast<long long>(std::ceil(low / step - 1e-9));
  const auto last = static_cast<long long>(std::floor(high / step + 1e-9));
  for (long long number = first; number <= last; ++number)
    all.push_back(static_cast<double>(number) * step);
  return all;
}

std::string tick_text(double value) {
  return fmt::format("{:.6g}", value);
}

}  // namespace quintet
