#include "gui/topology/layout.h"

#include <QSizeF>
#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace quintet::gui {

namespace {

constexpr double padding = 10, gap = 8, inner_gap = 26;
// Between tiers of switches, so that pictures are about twice as wide as high, as windows are.
constexpr double least_tier_gap = 70, most_tier_gap = 520, aspect = 2.0;

// Of a closed part; of a device as wide as the longest name beside it needs.
QSizeF closed_size(const PartTree& tree, const Part& part) {
  switch (part.kind) {
    case PartKind::device: {
      std::size_t letters = part.label.size();
      for (const int beside : tree.parts[static_cast<std::size_t>(part.parent)].children)
        letters = std::max(letters, tree.parts[static_cast<std::size_t>(beside)].label.size());
      constexpr std::size_t most_letters = 14;
      return {18 + 7.4 * static_cast<double>(std::min(letters, most_letters)), 28};
    }
    case PartKind::host:
    case PartKind::node:
      return {84, 42};
    case PartKind::machine:
    case PartKind::block:
    case PartKind::switches:
    case PartKind::hosts:
    case PartKind::devices:
      return {150, 46};
  }
  return {};
}

// A line of a row: children from..to.
struct Line {
  std::size_t from = 0, to = 0;
  double width = 0, height = 0;
};

class Layouter {
 public:
  Layouter(const PartTree& tree, const std::vector<bool>& unfolded)
      : tree_(tree), unfolded_(unfolded), sizes_(tree.parts.size()) {}

  Layout build() {
    Layout result;
    result.box_of_part.assign(tree_.parts.size(), -1);
    stretch();
    layout_ = &result;
    place(0, QRectF({0, 0}, sizes_[0]));
    result.bounds = result.boxes.front().rect;
    return result;
  }

 private:
  // Height grows evenly with the gaps, of which two sizes tell how many there are.
  void stretch() {
    measure(0);
    const double flat = sizes_[0].height();
    const double wanted = sizes_[0].width() / aspect;
    tier_gap_ = 2 * least_tier_gap;
    measure(0);
    const double gaps = (sizes_[0].height() - flat) / least_tier_gap;
    const double more = gaps > 0 ? std::max(0.0, wanted - flat) / gaps : 0.0;
    tier_gap_ = std::min(most_tier_gap, least_tier_gap + more);
    measure(0);
  }

  const Part& at(int part) const { return tree_.parts[static_cast<std::size_t>(part)]; }
  QSizeF size(int part) const { return sizes_[static_cast<std::size_t>(part)]; }
  bool open(int part) const {
    return unfolded_[static_cast<std::size_t>(part)] && !at(part).children.empty();
  }
  // Switches of one tier and the like have no frame: they are a line of their own.
  static bool framed(const Part& part) {
    return part.kind != PartKind::machine && part.kind != PartKind::switches &&
           part.kind != PartKind::devices &&
           !(part.kind == PartKind::block && part.label == "blocks");
  }
  static double margin(const Part& part) { return framed(part) ? padding : 0; }
  static double title(const Part& part) { return framed(part) ? title_height : 0; }

  std::vector<Line> lines_of(const Part& part) const {
    std::vector<Line> lines;
    for (std::size_t each = 0; each < part.children.size(); ++each) {
      const QSizeF child = size(part.children[each]);
      const bool full = !lines.empty() && each - lines.back().from >=
                                              static_cast<std::size_t>(std::max(1, part.columns));
      if (lines.empty() || full) lines.push_back({each, each, 0, 0});
      Line& line = lines.back();
      line.width += child.width() + (line.to > line.from ? gap : 0);
      line.height = std::max(line.height, child.height());
      line.to = each + 1;
    }
    return lines;
  }

  double space_below(const Part& part) const {
    if (part.kind == PartKind::host || part.kind == PartKind::node) return inner_gap;
    return part.kind == PartKind::block ? 0.6 * tier_gap_ : tier_gap_;
  }

  // How far apart places that are 1 apart must be.
  QSizeF pitch(const Part& part) const {
    QSizeF largest;
    for (const int child : part.children) largest = largest.expandedTo(size(child));
    return {largest.width() + 3 * gap, largest.height() + 3 * gap};
  }

  QRectF places_of(const Part& part) const {
    QRectF all;
    const QSizeF each = pitch(part);
    for (std::size_t child = 0; child < part.children.size(); ++child) {
      const QSizeF own = size(part.children[child]);
      const QPointF middle = scaled(part.places[child], each);
      const QRectF box(middle - QPointF(own.width() / 2, own.height() / 2), own);
      all = child == 0 ? box : all.united(box);
    }
    return all;
  }

  // Circles and springs need as much in x as in y; grids do not.
  static QPointF scaled(const QPointF& place, const QSizeF& pitch) {
    return {place.x() * pitch.width(), place.y() * pitch.height()};
  }

  QSizeF inside(const Part& part) const {
    double width = 0, height = 0;
    switch (part.arrangement) {
      case Arrangement::stack:
        for (const int child : part.children) {
          width = std::max(width, size(child).width());
          height += size(child).height() + (height > 0 ? space_below(part) : 0);
        }
        return {width, height};
      case Arrangement::row:
        for (const Line& line : lines_of(part)) {
          width = std::max(width, line.width);
          height += line.height + (height > 0 ? gap : 0);
        }
        return {width, height};
      case Arrangement::placed:
        return places_of(part).size();
    }
    return {};
  }

  void measure(int number) {
    const Part& part = at(number);
    QSizeF& own = sizes_[static_cast<std::size_t>(number)];
    own = closed_size(tree_, part);
    if (!open(number)) return;
    for (const int child : part.children) measure(child);
    const QSizeF content = inside(part);
    own = {content.width() + 2 * margin(part), content.height() + title(part) + 2 * margin(part)};
  }

  void place(int number, const QRectF& rect) {
    const Part& part = at(number);
    const bool is_open = open(number);
    if (!is_open || framed(part) || number == 0) {
      layout_->box_of_part[static_cast<std::size_t>(number)] =
          static_cast<int>(layout_->boxes.size());
      layout_->boxes.push_back({number, rect, is_open});
    }
    if (!is_open) return;
    const QRectF content =
        rect.adjusted(margin(part), margin(part) + title(part), -margin(part), -margin(part));
    switch (part.arrangement) {
      case Arrangement::stack:
        return place_stack(part, content);
      case Arrangement::row:
        return place_row(part, content);
      case Arrangement::placed:
        return place_freely(part, content);
    }
  }

  // Lines of switches have all the width; all else stays as large as it is.
  void place_stack(const Part& part, const QRectF& content) {
    double top = content.top();
    for (const int child : part.children) {
      const QSizeF own = size(child);
      const bool spread = open(child) && !framed(at(child));
      const double width = spread ? content.width() : own.width();
      const double left = content.left() + (content.width() - width) / 2;
      place(child, {left, top, width, own.height()});
      top += own.height() + space_below(part);
    }
  }

  void place_row(const Part& part, const QRectF& content) {
    double top = content.top();
    for (const Line& line : lines_of(part)) {
      const double spare = content.width() - line.width;
      const double between = spare / static_cast<double>(line.to - line.from);
      double left = content.left() + between / 2;
      for (std::size_t each = line.from; each < line.to; ++each) {
        const QSizeF own = size(part.children[each]);
        place(part.children[each], {QPointF(left, top), own});
        left += own.width() + gap + between;
      }
      top += line.height + gap;
    }
  }

  void place_freely(const Part& part, const QRectF& content) {
    const QPointF shift = content.center() - places_of(part).center();
    const QSizeF each = pitch(part);
    for (std::size_t child = 0; child < part.children.size(); ++child) {
      const QSizeF own = size(part.children[child]);
      const QPointF middle = scaled(part.places[child], each) + shift;
      place(part.children[child], {middle - QPointF(own.width() / 2, own.height() / 2), own});
    }
  }

  const PartTree& tree_;
  const std::vector<bool>& unfolded_;
  std::vector<QSizeF> sizes_;
  double tier_gap_ = least_tier_gap;
  Layout* layout_ = nullptr;
};

void add_bundles(const Topology& topology, const PartTree& tree, const std::vector<bool>& unfolded,
                 Layout& layout) {
  std::vector<int> boxes;
  for (const int part : shown_parts(tree, unfolded))
    boxes.push_back(std::max(0, layout.box_of_part[static_cast<std::size_t>(part)]));
  std::unordered_map<std::uint64_t, int> known;
  layout.place_of_link.resize(topology.links.size());
  for (std::size_t link = 0; link < topology.links.size(); ++link) {
    const int from = boxes[topology.links[link].from.index()];
    const int to = boxes[topology.links[link].to.index()];
    if (from == to) {
      layout.place_of_link[link] = -1 - from;
      continue;
    }
    const auto [one, other] = std::minmax(from, to);
    const auto key = static_cast<std::uint64_t>(one) << 32 | static_cast<std::uint64_t>(other);
    const auto [at, fresh] = known.emplace(key, static_cast<int>(layout.bundles.size()));
    if (fresh) layout.bundles.push_back({one, other, {}});
    layout.bundles[static_cast<std::size_t>(at->second)].links.push_back(id_at<LinkId>(link));
    layout.place_of_link[link] = at->second;
  }
}

}  // namespace

Layout layout(const Topology& topology, const PartTree& tree, const std::vector<bool>& unfolded) {
  Layout made = Layouter(tree, unfolded).build();
  add_bundles(topology, tree, unfolded, made);
  return made;
}

}  // namespace quintet::gui
