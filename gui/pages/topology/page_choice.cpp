// What of the machine is chosen and open on the topology page, and what is then done with it.
#include <algorithm>

#include "gui/pages/topology/part_facts.h"
#include "gui/pages/topology/topology_page.h"

namespace quintet::gui {

namespace {

std::size_t index(int number) {
  return static_cast<std::size_t>(number);
}

}  // namespace

void TopologyPage::show_choice() {
  if (machine_ == nullptr) return;
  const std::string part = document().part().toStdString();
  const Shown shown = shown_at(picture_, unfolded_, part);
  picture_.chosen_box = part.empty() ? box_ : shown.box;
  picture_.chosen_bundle = shown.bundle;
  show_panel();
  canvas_->update();
}

void TopologyPage::show_panel() {
  if (machine_ == nullptr) return;
  if (picture_.chosen_box >= 0)
    canvas_->tell_chosen(box_text(picture_, picture_.chosen_box));
  else if (picture_.chosen_bundle >= 0)
    canvas_->tell_chosen(bundle_text(picture_, picture_.chosen_bundle));
  const QString part = document().part();
  const NamedPlace place = place_named(*machine_, part.toStdString());
  const PartFault fault = fault_of(document().scenario(), part.toStdString());
  const Breakable may = breakable(*machine_, place);
  fail_->setEnabled(may.fail && !fault.failed);
  restore_->setEnabled(fault != PartFault{});
  delay_->setEnabled(may.delay);
  for (const auto& [action, share] : slow_) action->setEnabled(may.slow);
  if (!place.cables.empty()) {
    const Outcome* const outcome = outcome_is_of_machine() ? document().outcome() : nullptr;
    return part_panel_->show(part, part, facts_of_cable(picture_, place, outcome, shown_range()),
                             may, fault);
  }
  const int box = picture_.chosen_box;
  if (box < 0)
    return part_panel_->show("",
                             "Click a link, switch, NIC, GPU or host to see what it carries, "
                             "to slow it or to break it. Double-click unfolds.",
                             {}, {}, {});
  // A part inside of a closed one is told by its own name.
  const QString own = QString::fromStdString(
      machine_->tree.parts[index(picture_.layout.boxes[index(box)].part)].name);
  part_panel_->show(part, part.isEmpty() ? own : part, facts_of_box(picture_, box), may, fault);
}

void TopologyPage::choose_box(int box) {
  canvas_->setFocus();
  const std::string part = part_name(picture_, box);
  box_ = box;
  if (document().part() == QString::fromStdString(part))
    show_choice();
  else
    document().choose_part(QString::fromStdString(part));
}

void TopologyPage::choose_bundle(int bundle) {
  canvas_->setFocus();
  box_ = -1;
  side_->setCurrentIndex(0);
  const std::string part =
      name_in_faults(document().scenario(), *machine_, bundle_name(picture_, bundle));
  document().choose_part(QString::fromStdString(part));
}

void TopologyPage::choose_nothing() {
  box_ = -1;
  if (document().part().isEmpty())
    show_choice();
  else
    document().choose_part("");
}

void TopologyPage::refold(int kept_part) {
  const auto place_of = [&]() -> std::optional<QPointF> {
    const int box = picture_.layout.box_of_part[index(kept_part)];
    if (box < 0) return std::nullopt;
    return picture_.layout.boxes[index(box)].rect.topLeft();
  };
  const auto before = place_of();
  lay_out(picture_, unfolded_);
  canvas_->show_other_boxes(before, place_of());
  box_ = picture_.layout.box_of_part[index(kept_part)];
  show_badges();
  show_choice();
}

void TopologyPage::open_or_close(int box) {
  if (machine_ == nullptr || box < 0) return;
  const int part = picture_.layout.boxes[index(box)].part;
  if (part == 0 || machine_->tree.parts[index(part)].children.empty()) return;
  unfolded_[index(part)] = !unfolded_[index(part)];
  // Lists of alike devices of a host open with it, as long as they are short.
  for (const int child : machine_->tree.parts[index(part)].children) {
    const Part& inside = machine_->tree.parts[index(child)];
    if (inside.kind == PartKind::devices)
      unfolded_[index(child)] = unfolded_[index(part)] && inside.children.size() <= 16;
  }
  refold(part);
}

void TopologyPage::close_one_level() {
  if (machine_ == nullptr || picture_.chosen_box < 0) return;
  int part = picture_.layout.boxes[index(picture_.chosen_box)].part;
  if (!unfolded_[index(part)] || machine_->tree.parts[index(part)].children.empty())
    part = machine_->tree.parts[index(part)].parent;
  if (part <= 0) return;
  unfolded_[index(part)] = false;
  document().choose_part("");
  refold(part);
}

void TopologyPage::fold_all(bool unfold) {
  if (machine_ == nullptr) return;
  if (unfold) {
    for (const Box& box : picture_.layout.boxes)
      if (!box.open) unfolded_[index(box.part)] = true;
  } else {
    unfolded_ = first_unfolded(machine_->tree);
  }
  refold(0);
  canvas_->fit();
}

void TopologyPage::go(const QPointF& direction) {
  if (machine_ == nullptr) return;
  int from = picture_.chosen_box;
  if (from < 0 && picture_.chosen_bundle >= 0)
    from = picture_.layout.bundles[index(picture_.chosen_bundle)].one;
  const int box = next_box(picture_, from, direction);
  choose_box(box);
  canvas_->reveal(picture_.layout.boxes[index(box)].rect);
}

// Through the links of the box that was chosen last.
void TopologyPage::go_along_link(int by) {
  if (machine_ == nullptr || picture_.layout.bundles.empty()) return;
  std::vector<int> links;
  int at = -1;
  if (picture_.chosen_bundle >= 0) {
    const int box = picture_.layout.bundles[index(picture_.chosen_bundle)].one;
    links = bundles_of(picture_, box);
    at = static_cast<int>(std::find(links.begin(), links.end(), picture_.chosen_bundle) -
                          links.begin());
  } else if (picture_.chosen_box >= 0) {
    links = bundles_of(picture_, picture_.chosen_box);
    at = by > 0 ? -1 : 0;
  }
  if (links.empty()) return;
  const int count = static_cast<int>(links.size());
  choose_bundle(links[index(((at + by) % count + count) % count)]);
}

void TopologyPage::ask_fault(const PartFault& fault, const QString& what, int merge) {
  const std::string part = document().part().toStdString();
  if (part.empty()) return;
  document().edit(what, with_fault(document().scenario(), part, fault), merge);
}

void TopologyPage::change_fault(const std::function<void(PartFault&)>& change,
                                const QString& what) {
  const QString part = document().part();
  if (part.isEmpty()) return;
  PartFault fault = fault_of(document().scenario(), part.toStdString());
  change(fault);
  ask_fault(fault, what.arg(part), -1);
}

}  // namespace quintet::gui
