#include "gui/topology/fabric_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace quintet::gui {

namespace {

constexpr std::size_t index(int number) {
  return static_cast<std::size_t>(number);
}

const Part& part_of(const FabricPicture& picture, const Box& box) {
  return picture.machine->tree.parts[index(box.part)];
}

std::vector<Badge> badges_of(const PartFault& fault) {
  std::vector<Badge> badges;
  if (fault.failed) badges.push_back({Badge::Shape::cross, {}});
  if (fault.share)
    badges.push_back({Badge::Shape::triangle, QString("%1 %").arg(*fault.share * 100, 0, 'g', 3)});
  if (fault.delay)
    badges.push_back({Badge::Shape::clock, "+" + QString::fromStdString(*fault.delay)});
  return badges;
}

// The outermost closed part that shows this one, or the part itself.
int shown_part(const PartTree& tree, const std::vector<bool>& unfolded, int part) {
  int shown = part;
  for (int above = tree.parts[index(part)].parent; above >= 0;
       above = tree.parts[index(above)].parent)
    if (!unfolded[index(above)]) shown = above;
  return shown;
}

int part_of_host(const PartTree& tree, HostId host) {
  for (std::size_t part = 0; part < tree.parts.size(); ++part)
    if (tree.parts[part].host == host) return static_cast<int>(part);
  return -1;
}

// How many parts inside of each closed box have which shape.
using Inside = std::map<std::pair<int, int>, int>;

void add_inside(FabricPicture& picture, const Inside& inside) {
  for (const auto& [key, count] : inside)
    picture.box_badges[index(key.first)].push_back(
        {static_cast<Badge::Shape>(key.second), QString::number(count)});
}

double distance(const QPointF& vector) {
  return std::hypot(vector.x(), vector.y());
}

double distance_to(const QPainterPath& line, const QPointF& place) {
  double nearest = std::numeric_limits<double>::infinity();
  constexpr int steps = 24;
  const int last = line.elementCount() > 2 ? steps : 1;
  QPointF from = line.pointAtPercent(0);
  for (int step = 1; step <= last; ++step) {
    const QPointF to = line.pointAtPercent(static_cast<double>(step) / last);
    const QPointF along = to - from, aside = place - from;
    const double square = QPointF::dotProduct(along, along);
    const double share =
        square > 0 ? std::clamp(QPointF::dotProduct(aside, along) / square, 0.0, 1.0) : 0.0;
    nearest = std::min(nearest, distance(aside - along * share));
    from = to;
  }
  return nearest;
}

}  // namespace

void lay_out(FabricPicture& picture, const std::vector<bool>& unfolded) {
  picture.layout = layout(picture.machine->built, picture.machine->tree, unfolded);
  picture.lines.clear();
  for (const Bundle& bundle : picture.layout.bundles)
    picture.lines.push_back(line_of(picture.layout, bundle));
  picture.sums = load_sums(picture.layout, picture.states);
  picture.box_badges.assign(picture.layout.boxes.size(), {});
  picture.bundle_badges.assign(picture.layout.bundles.size(), {});
  picture.chosen_box = picture.chosen_bundle = -1;
  picture.scale = scale_end(picture.sums);
}

void load(FabricPicture& picture, std::vector<LinkState> states) {
  picture.states = std::move(states);
  picture.sums = load_sums(picture.layout, picture.states);
  picture.scale = scale_end(picture.sums);
}

Shown shown_at(const FabricPicture& picture, const std::vector<bool>& unfolded,
               const std::string& part) {
  if (picture.machine == nullptr || part.empty()) return {};
  const NamedPlace place = place_named(*picture.machine, part);
  const PartTree& tree = picture.machine->tree;
  if (!place.cables.empty()) {
    const int at = picture.layout.place_of_link[place.cables.front().index()];
    return at >= 0 ? Shown{-1, at} : Shown{-1 - at, -1};
  }
  int number = -1;
  if (place.device.valid()) number = tree.part_of_device[place.device.index()];
  if (place.host.valid()) number = part_of_host(tree, place.host);
  if (number < 0) return {};
  return {picture.layout.box_of_part[index(shown_part(tree, unfolded, number))], -1};
}

void mark_faults(FabricPicture& picture, const Scenario& scenario,
                 const std::vector<bool>& unfolded) {
  picture.box_badges.assign(picture.layout.boxes.size(), {});
  picture.bundle_badges.assign(picture.layout.bundles.size(), {});
  Inside inside;
  for (const std::string& name : faulted_parts(scenario.faults)) {
    const Shown at = shown_at(picture, unfolded, name);
    for (const Badge& badge : badges_of(fault_of(scenario, name))) {
      if (at.bundle >= 0) picture.bundle_badges[index(at.bundle)].push_back(badge);
      if (at.box < 0) continue;
      if (part_name(picture, at.box) == name)
        picture.box_badges[index(at.box)].push_back(badge);
      else
        ++inside[{at.box, static_cast<int>(badge.shape)}];
    }
  }
  add_inside(picture, inside);
}

int box_at(const FabricPicture& picture, const QPointF& place) {
  for (std::size_t number = picture.layout.boxes.size(); number-- > 0;) {
    const Box& box = picture.layout.boxes[number];
    if (box.part == 0 && box.open) continue;
    QRectF rect = box.rect;
    if (box.open) rect.setHeight(title_height + 4);
    if (rect.contains(place)) return static_cast<int>(number);
  }
  return -1;
}

int bundle_at(const FabricPicture& picture, const QPointF& place, double near) {
  int found = -1;
  double nearest = near;
  for (std::size_t number = 0; number < picture.lines.size(); ++number) {
    const QRectF around = picture.lines[number].boundingRect().adjusted(-near, -near, near, near);
    if (!around.contains(place)) continue;
    const double away = distance_to(picture.lines[number], place);
    if (away >= nearest) continue;
    nearest = away;
    found = static_cast<int>(number);
  }
  return found;
}

std::string part_name(const FabricPicture& picture, int box) {
  const Part& part = part_of(picture, picture.layout.boxes[index(box)]);
  if (part.device.valid()) return picture.machine->built.device(part.device).name;
  if (part.host.valid()) return picture.machine->built.host(part.host).name;
  return "";
}

std::string bundle_name(const FabricPicture& picture, int bundle) {
  const LoadSum& sum = picture.sums.bundles[index(bundle)];
  const LinkId link =
      sum.busiest.valid() ? sum.busiest : picture.layout.bundles[index(bundle)].links.front();
  return cable_name(picture.machine->built, link);
}

int next_box(const FabricPicture& picture, int box, const QPointF& direction) {
  const auto& boxes = picture.layout.boxes;
  if (box < 0) return boxes.size() > 1 ? 1 : 0;
  const QPointF from = boxes[index(box)].rect.center();
  int found = box;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t other = 1; other < boxes.size(); ++other) {
    if (static_cast<int>(other) == box || boxes[other].open) continue;
    const QPointF way = boxes[other].rect.center() - from;
    const double ahead = QPointF::dotProduct(way, direction);
    const double aside = std::abs(way.x() * direction.y() - way.y() * direction.x());
    if (ahead <= 1) continue;
    if (const double cost = ahead + 2 * aside; cost < least) {
      least = cost;
      found = static_cast<int>(other);
    }
  }
  return found;
}

std::vector<int> bundles_of(const FabricPicture& picture, int box) {
  std::vector<int> found;
  for (std::size_t number = 0; number < picture.layout.bundles.size(); ++number) {
    const Bundle& bundle = picture.layout.bundles[number];
    if (bundle.one == box || bundle.other == box) found.push_back(static_cast<int>(number));
  }
  return found;
}

}  // namespace quintet::gui
