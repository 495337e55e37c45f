#include "gui/pages/topology/topology_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QScrollArea>
#include <QVBoxLayout>

#include "gui/pages/topology/paint_fabric.h"
#include "gui/widgets/owned.h"

namespace quintet::gui {

namespace {

constexpr int panel_width = 290;

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
  if (was_open)
    unfolded = unfolded_alike(machine_->tree, unfolded_, next->tree, std::move(unfolded));
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
  if (document().range())
    return text + "selected in the timeline: " + range_text(*document().range());
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
      const TimeRange range = shown_range().value_or(TimeRange{{}, prediction.timeline.end});
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
