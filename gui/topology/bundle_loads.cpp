#include "gui/topology/bundle_loads.h"

#include <QLineF>
#include <algorithm>
#include <array>
#include <cmath>

namespace quintet::gui {

namespace {

void add(LoadSum& sum, const LinkState& state, LinkId link) {
  ++sum.links;
  sum.slow += state.trouble == LinkTrouble::slow;
  sum.late += state.trouble == LinkTrouble::late;
  sum.failed += state.trouble == LinkTrouble::failed;
  sum.bytes += state.bytes;
  sum.mean += state.utilisation;
  if (sum.busiest.valid() && state.utilisation <= sum.worst) return;
  sum.worst = state.utilisation;
  sum.busiest = link;
}

// From a box towards another, a little off its middle so that lines fan out.
double towards(double own, double other, double reach) {
  return own + std::clamp((other - own) * 0.12, -reach, reach);
}

}  // namespace

LoadSums load_sums(const Layout& layout, std::span<const LinkState> states) {
  LoadSums sums{std::vector<LoadSum>(layout.bundles.size()),
                std::vector<LoadSum>(layout.boxes.size())};
  for (std::size_t link = 0; link < layout.place_of_link.size(); ++link) {
    const int place = layout.place_of_link[link];
    LoadSum& sum = place >= 0 ? sums.bundles[static_cast<std::size_t>(place)]
                              : sums.boxes[static_cast<std::size_t>(-1 - place)];
    add(sum, states[link], id_at<LinkId>(link));
  }
  for (auto* all : {&sums.bundles, &sums.boxes})
    for (LoadSum& sum : *all) sum.mean /= std::max(1, sum.links - sum.failed);
  return sums;
}

double scale_end(const LoadSums& sums) {
  double most = 0;
  for (const LoadSum& sum : sums.bundles) most = std::max(most, sum.worst);
  for (const double end : std::array{0.01, 0.02, 0.05, 0.1, 0.2, 0.5})
    if (most <= end) return end;
  return 1.0;
}

QPainterPath line_of(const Layout& layout, const Bundle& bundle) {
  const QRectF one = layout.boxes[static_cast<std::size_t>(bundle.one)].rect;
  const QRectF other = layout.boxes[static_cast<std::size_t>(bundle.other)].rect;
  const QPointF from = one.center(), to = other.center();
  const bool below = one.bottom() <= other.top(), above = other.bottom() <= one.top();
  QPainterPath path;
  if (below || above) {
    const double reach_one = one.width() * 0.4, reach_other = other.width() * 0.4;
    path.moveTo(towards(from.x(), to.x(), reach_one), below ? one.bottom() : one.top());
    path.lineTo(towards(to.x(), from.x(), reach_other), below ? other.top() : other.bottom());
    return path;
  }
  const bool right = from.x() < to.x();
  const QPointF begin(right ? one.right() : one.left(), from.y());
  const QPointF end(right ? other.left() : other.right(), to.y());
  path.moveTo(begin);
  const double length = QLineF(begin, end).length();
  if (length <= std::max(one.width(), other.width())) {
    path.lineTo(end);
    return path;
  }
  const double bend = std::min(70.0, 0.12 * length + 14);
  path.quadTo((begin + end) / 2 - QPointF(0, 2 * bend), end);
  return path;
}

bool is_one_cable(const Topology& topology, const Bundle& bundle) {
  const Link& first = topology.link(bundle.links.front());
  return std::all_of(bundle.links.begin(), bundle.links.end(), [&](LinkId id) {
    const Link& link = topology.link(id);
    return std::minmax(link.from, link.to) == std::minmax(first.from, first.to);
  });
}

}  // namespace quintet::gui
