// How machines are folded and laid out, without a window.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "gui/topology/fabric_fields.h"
#include "gui/topology/fabric_picture.h"
#include "gui/topology/graph_shape.h"
#include "sim/usage/shipped.h"

namespace quintet::gui {

MachineView machine(const std::string& name, std::optional<int> hosts = {}) {
  Result<MachineView> view = machine_view({name, hosts, {}});
  if (!view) qFatal("%s", view.error().text().c_str());
  return std::move(*view);
}

FabricPicture picture_of(const MachineView& view, const std::vector<bool>& unfolded) {
  FabricPicture picture;
  picture.machine = &view;
  picture.states = link_states(view.built, view.built, {});
  lay_out(picture, unfolded);
  return picture;
}

int part_called(const PartTree& tree, const std::string& name) {
  for (std::size_t part = 0; part < tree.parts.size(); ++part)
    if (tree.parts[part].name == name) return static_cast<int>(part);
  qFatal("no part %s", name.c_str());
}

// But for what sums of places round off.
bool holds(const Box& outer, const Box& inner) {
  return outer.rect.adjusted(-1, -1, 1, 1).contains(inner.rect);
}

// The names of two boxes of which none is around the other; empty where there are none.
QString cover_each_other(const PartTree& tree, const Layout& layout) {
  const auto name = [&](const Box& box) {
    return tree.parts[static_cast<std::size_t>(box.part)].name;
  };
  for (std::size_t one = 0; one < layout.boxes.size(); ++one)
    for (std::size_t other = 0; other < one; ++other) {
      const Box &left = layout.boxes[one], &right = layout.boxes[other];
      const bool around = (left.open && holds(left, right)) || (right.open && holds(right, left));
      if (!around && left.rect.adjusted(1, 1, -1, -1).intersects(right.rect))
        return QString::fromStdString(name(left) + " and " + name(right));
    }
  return {};
}

class TopologyLayoutTest : public QObject {
  Q_OBJECT

 private slots:
  void shipped_machines_data();
  void shipped_machines();
  void tiers_lie_above_each_other();
  void groups_are_those_that_rails_make();
  void bundles_have_every_link_once();
  void sixteen_thousand_gpus_are_a_few_boxes();
  void a_torus_is_planes_of_nodes();
  void a_dragonfly_falls_into_its_groups();
  void any_graph_lies_the_same_each_time();
  void what_has_failed_stays_in_the_picture();
  void a_closed_part_shows_its_busiest_link();
  void fields_are_those_of_the_family();
};

void TopologyLayoutTest::shipped_machines_data() {
  QTest::addColumn<QString>("name");
  for (const std::string& name : shipped_names(FileKind::topology))
    QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void TopologyLayoutTest::shipped_machines() {
  QFETCH(QString, name);
  const MachineView view = machine(name.toStdString());
  // Every device is a part, once, and has its own name.
  for (std::size_t device = 0; device < view.built.devices.size(); ++device) {
    const int part = view.tree.part_of_device[device];
    QVERIFY(part > 0);
    QCOMPARE(view.tree.parts[static_cast<std::size_t>(part)].name, view.built.devices[device].name);
  }
  const std::vector<bool> unfolded = first_unfolded(view.tree);
  const FabricPicture picture = picture_of(view, unfolded);
  QVERIFY(picture.layout.boxes.size() > 1);
  QVERIFY(picture.layout.boxes.size() < 200);
  QCOMPARE(cover_each_other(view.tree, picture.layout), QString());
  for (const Box& box : picture.layout.boxes)
    QVERIFY(picture.layout.bounds.adjusted(-1, -1, 1, 1).contains(box.rect));
  // All open: no box covers another either, where that is not too many to look at.
  if (view.built.devices.size() > 700) return;
  const std::vector<bool> all(view.tree.parts.size(), true);
  QCOMPARE(cover_each_other(view.tree, picture_of(view, all).layout), QString());
}

void TopologyLayoutTest::tiers_lie_above_each_other() {
  const MachineView view = machine("dgx-h100-1024");
  const FabricPicture picture = picture_of(view, first_unfolded(view.tree));
  std::map<int, double> top;  // per tier the lowest place of its switches
  double hosts = 1e9;
  for (const Box& box : picture.layout.boxes) {
    const Part& part = view.tree.parts[static_cast<std::size_t>(box.part)];
    if (part.kind == PartKind::device)
      top[view.built.device(part.device).tier] =
          std::max(top[view.built.device(part.device).tier], box.rect.bottom());
    if (part.kind == PartKind::hosts) hosts = std::min(hosts, box.rect.top());
  }
  QCOMPARE(top.size(), std::size_t{2});
  QVERIFY(top[2] < top[1]);
  QVERIFY(top[1] < hosts);
}

// 128 hosts in groups of 32, each with a leaf per rail: 4 groups of 8 leaves, below 16 spines.
void TopologyLayoutTest::groups_are_those_that_rails_make() {
  const MachineView view = machine("dgx-h100-1024");
  int groups = 0;
  for (const Part& part : view.tree.parts)
    if (part.kind == PartKind::block && part.arrangement == Arrangement::stack) {
      ++groups;
      QCOMPARE(part.count, std::string("8 switches, 32 hosts, 256 GPUs"));
    }
  QCOMPARE(groups, 4);
  const Part& first = view.tree.parts[static_cast<std::size_t>(part_called(view.tree, "group 0"))];
  const Part& leaves = view.tree.parts[static_cast<std::size_t>(first.children.front())];
  QCOMPARE(leaves.name, std::string("leaf0 to leaf7"));
}

void TopologyLayoutTest::bundles_have_every_link_once() {
  const MachineView view = machine("hgx-h200");
  std::vector<bool> unfolded = first_unfolded(view.tree);
  unfolded = unfolded_down_to(view.tree, unfolded, part_called(view.tree, "host1/gpu3"));
  const FabricPicture picture = picture_of(view, unfolded);
  std::vector<int> seen(view.built.links.size(), 0);
  for (const Bundle& bundle : picture.layout.bundles)
    for (const LinkId link : bundle.links) ++seen[link.index()];
  for (std::size_t link = 0; link < seen.size(); ++link)
    QCOMPARE(seen[link], picture.layout.place_of_link[link] >= 0 ? 1 : 0);
  // The open host's GPU has its own line to the NVSwitch: two directions of one wire.
  const Shown shown = shown_at(picture, unfolded, "host1/gpu3-host1/nvswitch0");
  QVERIFY(shown.bundle >= 0);
  QCOMPARE(picture.layout.bundles[static_cast<std::size_t>(shown.bundle)].links.size(),
           std::size_t{2});
}

void TopologyLayoutTest::sixteen_thousand_gpus_are_a_few_boxes() {
  const MachineView view = machine("dgx-h100-1024", 2048);
  const std::vector<bool> unfolded = first_unfolded(view.tree);
  const FabricPicture picture = picture_of(view, unfolded);
  QVERIFY2(picture.layout.boxes.size() < 160,
           qPrintable(QString::number(picture.layout.boxes.size())));
  QVERIFY(picture.layout.bundles.size() < 4000);
  QCOMPARE(cover_each_other(view.tree, picture.layout), QString());
  // One host unfolded among 2,048 adds its own devices only.
  std::vector<bool> more =
      unfolded_down_to(view.tree, unfolded, part_called(view.tree, "host1000/gpu0"));
  const FabricPicture opened = picture_of(view, more);
  QVERIFY(opened.layout.boxes.size() < picture.layout.boxes.size() + 160);
  QVERIFY(shown_at(opened, more, "host1000/gpu0").box >= 0);
}

void TopologyLayoutTest::a_torus_is_planes_of_nodes() {
  const MachineView view = machine("torus-4x4x4");
  const std::vector<bool> unfolded = first_unfolded(view.tree);
  const FabricPicture picture = picture_of(view, unfolded);
  const auto place = [&](const std::string& name) {
    const int box = shown_at(picture, unfolded, name).box;
    return picture.layout.boxes[static_cast<std::size_t>(box)].rect.center();
  };
  const QPointF origin = place("node(0,0,0)");
  // x to the right, y downwards; a step of x is as long everywhere.
  QCOMPARE(place("node(1,0,0)").y(), origin.y());
  QCOMPARE(place("node(0,1,0)").x(), origin.x());
  QVERIFY(place("node(1,0,0)").x() > origin.x());
  QVERIFY(place("node(0,1,0)").y() > origin.y());
  QCOMPARE(place("node(2,0,0)").x() - place("node(1,0,0)").x(),
           place("node(1,0,0)").x() - origin.x());
  QVERIFY(place("node(0,0,1)").x() > place("node(3,0,0)").x());
}

// Three groups of four, all joined inside, one cable between each two: a small dragonfly.
void TopologyLayoutTest::a_dragonfly_falls_into_its_groups() {
  Neighbours neighbours(12);
  const auto join = [&](int one, int other) {
    neighbours[static_cast<std::size_t>(one)].push_back(other);
    neighbours[static_cast<std::size_t>(other)].push_back(one);
  };
  for (int group = 0; group < 3; ++group)
    for (int one = 0; one < 4; ++one)
      for (int other = 0; other < one; ++other) join(4 * group + one, 4 * group + other);
  join(0, 4);
  join(5, 8);
  join(9, 1);
  for (auto& list : neighbours) std::sort(list.begin(), list.end());
  QCOMPARE(groups_of(neighbours), (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
  // A ring has no triangles: it is one group.
  Neighbours ring(6);
  for (int each = 0; each < 6; ++each)
    ring[static_cast<std::size_t>(each)] = {std::min((each + 5) % 6, (each + 1) % 6),
                                            std::max((each + 5) % 6, (each + 1) % 6)};
  QCOMPARE(groups_of(ring), std::vector<int>(6, 0));
}

void TopologyLayoutTest::any_graph_lies_the_same_each_time() {
  Neighbours chain{{1}, {0, 2}, {1, 3}, {2}};
  const std::vector<QPointF> places = by_force(chain);
  QCOMPARE(places, by_force(chain));
  const auto apart = [&](std::size_t one, std::size_t other) {
    const QPointF way = places[one] - places[other];
    return std::hypot(way.x(), way.y());
  };
  // Neighbours are nearer than those two and three away.
  QVERIFY(apart(0, 1) < apart(0, 2));
  QVERIFY(apart(0, 2) < apart(0, 3));
  // A chain lies along x.
  for (const QPointF& place : places) QVERIFY(std::abs(place.y()) < 0.2);
}

void TopologyLayoutTest::what_has_failed_stays_in_the_picture() {
  const MachineView view = machine("dgx-h100-1024");
  Faults faults;
  faults.fail = {"leaf0-spine0"};
  faults.slow = {"leaf1-spine1=0.5"};
  const Result<Topology> worse = with_faults(view.built, faults);
  QVERIFY(worse.has_value());
  FabricPicture picture = picture_of(view, first_unfolded(view.tree));
  load(picture, link_states(view.built, *worse, {}));
  const auto sum = [&](const char* name) {
    const Shown shown = shown_at(picture, first_unfolded(view.tree), name);
    return picture.sums.bundles[static_cast<std::size_t>(shown.bundle)];
  };
  QCOMPARE(sum("leaf0-spine0").failed, sum("leaf0-spine0").links);
  QCOMPARE(sum("leaf1-spine1").slow, sum("leaf1-spine1").links);
  QCOMPARE(sum("leaf2-spine1").failed + sum("leaf2-spine1").slow, 0);
  const LinkId slow = place_named(view, "leaf1-spine1").cables.front();
  QCOMPARE(picture.states[slow.index()].rate, 0.5 * view.built.link(slow).bandwidth);
  Scenario scenario;
  scenario.faults = faults;
  scenario.faults.fail.push_back("host3/nic5");
  mark_faults(picture, scenario, first_unfolded(view.tree));
  const Shown hosts = shown_at(picture, first_unfolded(view.tree), "host3/nic5");
  QCOMPARE(picture.box_badges[static_cast<std::size_t>(hosts.box)].size(), std::size_t{1});
  // The same cable may have been named from its other end.
  scenario.faults.fail = {"spine0-leaf0"};
  QCOMPARE(name_in_faults(scenario, view, "leaf0-spine0"), std::string("spine0-leaf0"));
}

void TopologyLayoutTest::a_closed_part_shows_its_busiest_link() {
  const MachineView view = machine("hgx-h200");
  FabricPicture picture = picture_of(view, first_unfolded(view.tree));
  std::vector<LinkState> states = link_states(view.built, view.built, {});
  const NamedPlace cable = place_named(view, "host2/gpu1-host2/nvswitch0");
  states[cable.cables.front().index()].utilisation = 0.4;
  states[cable.cables.back().index()].utilisation = 0.2;
  load(picture, states);
  const Shown shown = shown_at(picture, first_unfolded(view.tree), "host2/gpu1");
  const LoadSum& inside = picture.sums.boxes[static_cast<std::size_t>(shown.box)];
  QCOMPARE(inside.worst, 0.4);
  QCOMPARE(inside.busiest, cable.cables.front());
  QCOMPARE(inside.mean, (0.4 + 0.2) / inside.links);
}

void TopologyLayoutTest::fields_are_those_of_the_family() {
  const auto settings = [](const std::string& name) {
    std::map<std::string, std::string> found;
    const Result<std::vector<FabricField>> fields =
        fabric_fields({name, {}, {}}, machine(name).built);
    if (!fields) qFatal("%s", fields.error().text().c_str());
    for (const FabricField& field : *fields) found[field.setting] = field.value;
    return found;
  };
  const auto rails = settings("dgx-h100-1024");
  QCOMPARE(rails.at("hosts"), std::string("128"));
  QCOMPARE(rails.at("topology.nics"), std::string("8"));
  QCOMPARE(rails.at("network.switch.ports"), std::string("64"));
  QCOMPARE(rails.at("topology.oversubscription"), std::string("1"));
  QVERIFY(!rails.contains("network.dimensions[0].size"));
  const auto torus = settings("torus-4x4x4");
  QCOMPARE(torus.at("network.dimensions[2].size"), std::string("4"));
  QVERIFY(!torus.contains("network.hosts_per_leaf"));
  // Short names are files that are like another.
  QCOMPARE(settings("dgx-h100").at("network.switch.ports"), std::string("64"));
  Scenario scenario = first_scenario();
  QVERIFY(check_fabric(with_fabric_field(scenario, "topology.nics", "4")).wrong.empty());
  const FabricCheck wrong = check_fabric(with_fabric_field(scenario, "topology.nics", "9"));
  QVERIFY2(wrong.wrong.find("expected 1 to 8") != std::string::npos, wrong.wrong.c_str());
}

}  // namespace quintet::gui

QTEST_GUILESS_MAIN(quintet::gui::TopologyLayoutTest)
#include "topology_layout_test.moc"
