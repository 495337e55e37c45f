#include "gui/pages/topology/topology_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QInputDialog>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "gui/pages/topology/paint_fabric.h"
#include "gui/pages/topology/part_facts.h"
#include "gui/widgets/owned.h"
#include "sim/topology/describe/readable.h"

namespace quintet::gui {

namespace {

constexpr int panel_width = 290;

std::size_t index(int number) {
  return static_cast<std::size_t>(number);
}

QScrollArea& scrolled(QWidget& content, QWidget* parent) {
  auto& area = owned<QScrollArea>(parent);
  area.setWidget(&content);
  area.setWidgetResizable(true);
  area.setFrameShape(QFrame::NoFrame);
  area.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area.setFocusPolicy(Qt::NoFocus);
  return area;
}

}  // namespace

TopologyPage::TopologyPage(Document& asked, QWidget* parent) : Page(asked, parent) {
  add_widgets();
  add_actions();
  connect(&document(), &Document::scenario_changed, this, [this] {
    show_machine();
    show_badges();
    show_panel();
    canvas_->update();
  });
  connect(&document(), &Document::outcome_changed, this, [this] {
    show_loads();
    fabric_panel_->say_fit();
  });
  connect(&document(), &Document::range_changed, this, &TopologyPage::show_loads);
  connect(&document(), &Document::part_changed, this, &TopologyPage::show_choice);
  connect(&document(), &Document::appearance_changed, this,
          [this] { canvas_->set_theme(document().theme()); });
  connect(&builder_, &Worker::broke, &document(), &Document::failed);
  canvas_->set_theme(document().theme());
  show_machine();
}

void TopologyPage::add_widgets() {
  auto& column = owned<QVBoxLayout>(this);
  column.setContentsMargins(0, 0, 0, 0);
  column.setSpacing(0);
  tools_ = &owned<QHBoxLayout>();
  tools_->setContentsMargins(6, 3, 6, 3);
  column.addLayout(tools_);
  auto& split = owned<QSplitter>(Qt::Horizontal, this);
  split.setChildrenCollapsible(false);
  views_ = &owned<QStackedWidget>(&split);
  canvas_ = &owned<MachineCanvas>(picture_, views_);
  table_view_ = &owned<QTableView>(views_);
  table_view_->setModel(&table_);
  table_view_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_view_->setAccessibleName("Links and what they carry");
  table_view_->verticalHeader()->hide();
  table_view_->horizontalHeader()->setStretchLastSection(true);
  views_->addWidget(canvas_);
  views_->addWidget(table_view_);
  split.addWidget(views_);
  side_ = &owned<QTabWidget>(&split);
  side_->setDocumentMode(true);
  part_panel_ = &owned<PartPanel>(nullptr);
  fabric_panel_ = &owned<FabricPanel>(document(), nullptr);
  side_->addTab(&scrolled(*part_panel_, side_), "Part");
  side_->addTab(&scrolled(*fabric_panel_, side_), "Fabric");
  side_->setMinimumWidth(panel_width);
  split.addWidget(side_);
  split.setStretchFactor(0, 1);
  split.setSizes({1000, panel_width});
  column.addWidget(&split, 1);
  scrubber_ = &owned<Scrubber>(this);
  column.addWidget(scrubber_);
  connect(canvas_, &MachineCanvas::box_chosen, this, &TopologyPage::choose_box);
  connect(canvas_, &MachineCanvas::bundle_chosen, this, &TopologyPage::choose_bundle);
  connect(canvas_, &MachineCanvas::nothing_chosen, this, &TopologyPage::choose_nothing);
  connect(canvas_, &MachineCanvas::box_opened, this, &TopologyPage::open_or_close);
  connect(canvas_, &MachineCanvas::moved_towards, this, &TopologyPage::go);
  connect(canvas_, &MachineCanvas::next_link, this, &TopologyPage::go_along_link);
  connect(canvas_, &MachineCanvas::closed, this, &TopologyPage::close_one_level);
  connect(canvas_, &MachineCanvas::menu_asked, this, &TopologyPage::show_menu);
  connect(part_panel_, &PartPanel::fault_asked, this, &TopologyPage::ask_fault);
  connect(scrubber_, &Scrubber::moved, this, &TopologyPage::show_loads);
  connect(scrubber_, &Scrubber::range_asked, this,
          [this] { document().choose_range(scrubber_->window()); });
  connect(table_view_, &QTableView::clicked, this, [this](const QModelIndex& row) {
    if (machine_ == nullptr) return;
    document().choose_part(
        QString::fromStdString(cable_name(machine_->built, table_.link(row.row()))));
  });
}

QAction& TopologyPage::add_action(const QString& text, const QKeySequence& keys,
                                  std::function<void()> act) {
  auto& action = owned<QAction>(text, this);
  action.setObjectName(text);
  action.setShortcut(keys);
  action.setShortcutContext(Qt::WidgetWithChildrenShortcut);
  connect(&action, &QAction::triggered, this, [act = std::move(act)] { act(); });
  addAction(&action);
  actions_.append(&action);
  return action;
}

void TopologyPage::add_actions() {
  add_action("Fit the machine", QKeySequence("Ctrl+0"), [this] { canvas_->fit(); });
  add_action("Zoom in", QKeySequence("Ctrl++"), [this] { canvas_->zoom(1.25); });
  add_action("Zoom out", QKeySequence("Ctrl+-"), [this] { canvas_->zoom(0.8); });
  add_action("Unfold or fold the chosen part", {},
             [this] { open_or_close(picture_.chosen_box); });
  add_action("Fold as at first", {}, [this] { fold_all(false); });
  add_action("Unfold one level more", {}, [this] { fold_all(true); });
  show_table_ = &add_action("Show links as a table", QKeySequence("Ctrl+T"), [] {});
  show_table_->setCheckable(true);
  connect(show_table_, &QAction::toggled, this, [this](bool on) {
    views_->setCurrentIndex(on ? 1 : 0);
    if (!on) return;
    show_table();
    table_view_->resizeColumnsToContents();
  });
  add_action("Play the step over the network", QKeySequence("Ctrl+Space"),
             [this] { scrubber_->play(!scrubber_->playing()); });
  add_action("Loads over the whole step", {}, [this] {
    scrubber_->whole();
    document().choose_range(std::nullopt);
  });
  fail_ = &add_action("Fail the chosen part", QKeySequence(Qt::Key_Delete), [this] {
    change_fault([](PartFault& fault) { fault = {{}, {}, true}; }, "Fail %1");
  });
  for (const int percent : {75, 50, 25}) {
    QAction& slow = add_action(QString("Slow the chosen part to %1 %").arg(percent), {},
                               [this, percent] {
                                 change_fault(
                                     [percent](PartFault& fault) {
                                       fault.failed = false;
                                       fault.share = percent / 100.0;
                                     },
                                     QString("Slow %1 to ") + QString("%1 %").arg(percent));
                               });
    slow_.emplace_back(&slow, percent / 100.0);
  }
  delay_ = &add_action("Add latency to the chosen part...", {}, [this] {
    bool given = false;
    const QString text = QInputDialog::getText(
        this, "Add latency", "What a message meets beside the usual, such as 5us:",
        QLineEdit::Normal, "5us", &given);
    if (given)
      change_fault(
          [&text](PartFault& fault) {
            fault.failed = false;
            fault.delay = text.trimmed().toStdString();
          },
          "Delay %1 by " + text.trimmed());
  });
  restore_ = &add_action("Restore the chosen part", QKeySequence(Qt::CTRL | Qt::Key_Delete),
                         [this] { change_fault([](PartFault& fault) { fault = {}; }, "Restore %1"); });
  add_tool(*actions_.at(0), "Fit");
  add_tool(*actions_.at(1), "+");
  add_tool(*actions_.at(2), "\u2212");
  add_tool(*actions_.at(4), "Fold");
  add_tool(*actions_.at(5), "Unfold more");
  tools_->addStretch();
  add_tool(*show_table_, "Table");
  add_action("One host more", {}, [this] { fabric_panel_->add_hosts(1); });
  add_action("One host less", {}, [this] { fabric_panel_->add_hosts(-1); });
}

void TopologyPage::add_tool(QAction& action, const QString& text) {
  auto& button = owned<QToolButton>(this);
  button.setDefaultAction(&action);
  button.setText(text);
  button.setAutoRaise(true);
  button.setAccessibleName(action.text());
  button.setToolTip(action.text() + " " +
                    action.shortcut().toString(QKeySequence::NativeText));
  tools_->addWidget(&button);
}

void TopologyPage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  canvas_->setFocus();
}

bool TopologyPage::outcome_is_of_machine() const {
  const Outcome* const outcome = document().outcome();
  if (outcome == nullptr || machine_ == nullptr) return false;
  const Result<MachineKey> key = machine_key(outcome->scenario);
  return key && *key == machine_->key &&
         outcome->topology().devices.size() == machine_->built.devices.size();
}

void TopologyPage::show_machine() {
  const Result<MachineKey> key = machine_key(document().scenario());
  if (!key) {
    waits_ = false;
    fabric_panel_->show_wrong(QString::fromStdString(key.error().text()));
    return;
  }
  if (asked_ == *key) return;
  asked_ = *key;
  builder_.start("Reading the machine", [this, key = *key](const Progress&) {
    Result<MachineView> machine = machine_view(key);
    Result<std::vector<FabricField>> fields =
        machine ? fabric_fields(key, machine->built) : machine.error();
    return [this, machine = std::move(machine), fields = std::move(fields)]() mutable {
      take_machine(std::move(machine), fields);
    };
  });
}

void TopologyPage::take_machine(Result<MachineView> machine,
                                const Result<std::vector<FabricField>>& fields) {
  waits_ = false;
  if (!machine) {
    fabric_panel_->show_wrong(QString::fromStdString(machine.error().text()));
    return;
  }
  if (fields)
    fabric_panel_->show(*fields);
  else
    fabric_panel_->show_wrong(QString::fromStdString(fields.error().text()));
  table_.show(nullptr, nullptr);
  auto next = std::make_unique<MachineView>(std::move(*machine));
  std::vector<bool> unfolded = first_unfolded(next->tree);
  const bool was_open = machine_ != nullptr && machine_->key.topology == next->key.topology;
  if (was_open) unfolded = unfolded_alike(machine_->tree, unfolded_, next->tree, std::move(unfolded));
  machine_ = std::move(next);
  picture_.machine = machine_.get();
  picture_.title = QString::fromStdString(machine_->built.name);
  picture_.states = link_states(machine_->built, machine_->built, {});
  picture_.loaded = false;
  unfolded_ = std::move(unfolded);
  box_ = -1;
  lay_out(picture_, unfolded_);
  canvas_->fit();
  show_loads();
}

std::optional<TimeRange> TopologyPage::shown_range() const {
  if (const auto window = scrubber_->window()) return window;
  return document().range();
}

QString TopologyPage::moment_text() const {
  if (!picture_.loaded) return document().outcome() == nullptr ? "not predicted yet" : "no loads";
  QString text = document().outdated() ? "earlier prediction: " : "";
  if (scrubber_->window()) return text + "window of " + range_text(*scrubber_->window());
  if (document().range()) return text + "selected in the timeline: " + range_text(*document().range());
  return text + "whole step, " + QString::fromStdString(step_text(*document().outcome()));
}

void TopologyPage::show_loads() {
  if (machine_ == nullptr) return;
  picture_.loaded = false;
  if (outcome_is_of_machine()) {
    const Outcome& outcome = *document().outcome();
    std::vector<double> bytes;
    Carried carried;
    if (outcome.predicted()) {
      const Prediction& prediction = outcome.prediction();
      scrubber_->set_step(prediction.timeline.end);
      const TimeRange range =
          shown_range().value_or(TimeRange{{}, prediction.timeline.end});
      if (shown_range())
        bytes = bytes_between(prediction.traffic, range.from, range.to);
      else
        for (const LinkLoad& load : prediction.loads) bytes.push_back(load.bytes);
      carried = {prediction.load_of_link, bytes, seconds(range.to - range.from)};
      picture_.loaded = true;
    }
    load(picture_, link_states(machine_->built, outcome.topology(), carried));
  } else {
    load(picture_, link_states(machine_->built, machine_->built, {}));
  }
  if (!picture_.loaded) scrubber_->set_step({});
  if (views_->currentWidget() == table_view_) show_table();
  picture_.moment = moment_text();
  show_badges();
  show_choice();
  canvas_->update();
}

void TopologyPage::show_table() {
  if (machine_ != nullptr) table_.show(&machine_->built, &picture_.states);
}

void TopologyPage::show_badges() {
  if (machine_ == nullptr) return;
  mark_faults(picture_, document().scenario(), unfolded_);
}

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
    return part_panel_->show("", "Click a link, switch, NIC, GPU or host to see what it carries, "
                             "to slow it or to break it. Double-click unfolds.", {}, {}, {});
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

void TopologyPage::show_menu(const QPoint& global) {
  QMenu menu(this);
  menu.addAction(actions_.at(3));
  menu.addSeparator();
  for (const auto& [action, share] : slow_) menu.addAction(action);
  menu.addAction(delay_);
  menu.addAction(fail_);
  menu.addAction(restore_);
  menu.exec(global);
}

std::vector<Exported> TopologyPage::exports() {
  show_table();
  const Theme* const theme = &document().theme();
  return {{"machine", "Machine and its loads",
           [this, theme](QPainter& painter, const QSizeF& size) {
             paint_fabric(painter, size, picture_, *theme, fitting(picture_, size));
           },
           nullptr},
          {"links", "Links and what they carry", nullptr, &table_}};
}

}  // namespace quintet::gui
