#include "gui/pages/plan/input_row.h"

#include <QCompleter>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

#include "gui/widgets/owned.h"
#include "sim/topology/file/topology_file.h"

namespace quintet::gui {

namespace {

constexpr const char* look_for_file = "A file ...";
constexpr const char* by_the_gpu = "as the GPU has it";
constexpr const char* none = "not named";

QString text(std::string_view words) {
  return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
}

QString tip_of(InputKind kind) {
  switch (kind) {
    case InputKind::model:
      return "What is trained: a shipped model, or a Hugging Face config.json";
    case InputKind::topology:
      return "The machine: a shipped topology, or a file";
    case InputKind::plan:
      return "How it is trained: a shipped plan, or a file; edits of fields stay when it changes";
    case InputKind::costs:
      return "What kernels take: a cost table; without one, the shipped one for the GPU";
    case InputKind::stack:
      return "The training software, whose kernels and habits are known";
  }
  return {};
}

QString when_empty(InputKind kind) {
  return kind == InputKind::costs ? by_the_gpu : kind == InputKind::stack ? none : "";
}

QVBoxLayout& labelled(const QString& name, QWidget& field, QWidget* parent) {
  auto& column = owned<QVBoxLayout>();
  column.setSpacing(1);
  auto& label = owned<QLabel>(name, parent);
  label.setBuddy(&field);
  column.addWidget(&label);
  column.addWidget(&field);
  return column;
}

}  // namespace

InputRow::InputRow(Document& document, QWidget* parent) : QWidget(parent), document_(document) {
  owned<QHBoxLayout>(this).setContentsMargins(0, 0, 0, 0);
  for (const InputKind kind :
       {InputKind::model, InputKind::topology, InputKind::plan, InputKind::costs, InputKind::stack})
    add_box(kind);
  add_hosts();
  connect(&document_, &Document::scenario_changed, this, &InputRow::show_scenario);
  connect(&document_, &Document::outcome_changed, this, &InputRow::show_scenario);
  show_scenario();
}

void InputRow::add_box(InputKind kind) {
  auto& box = owned<QComboBox>(this);
  boxes_[static_cast<std::size_t>(kind)] = &box;
  box.setEditable(true);
  box.setInsertPolicy(QComboBox::NoInsert);
  box.setMinimumContentsLength(10);
  box.setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box.setMaxVisibleItems(24);
  const QString empty = when_empty(kind);
  if (!empty.isEmpty()) box.addItem(empty);
  for (const std::string& name : shipped_inputs(kind)) box.addItem(text(name));
  box.addItem(look_for_file);
  box.completer()->setFilterMode(Qt::MatchContains);
  box.completer()->setCompletionMode(QCompleter::PopupCompletion);
  box.setAccessibleName(text(name_of(kind)));
  box.setToolTip(tip_of(kind));
  connect(&box, &QComboBox::activated, this, [this, kind, &box] {
    if (box.currentText() == look_for_file)
      browse(kind);
    else
      choose(kind, box.currentText());
  });
  connect(box.lineEdit(), &QLineEdit::returnPressed, this,
          [this, kind, &box] { choose(kind, box.currentText()); });
  const QString name = kind == InputKind::topology ? "Machine" : text(name_of(kind));
  const QString label = name.left(1).toUpper() + name.mid(1);
  const bool is_long = kind == InputKind::plan;
  static_cast<QHBoxLayout*>(layout())->addLayout(&labelled(label, box, this), is_long ? 3 : 2);
}

void InputRow::add_hosts() {
  hosts_ = &owned<QSpinBox>(this);
  hosts_->setRange(0, most_hosts);
  hosts_->setKeyboardTracking(false);
  hosts_->setAccessibleName("hosts");
  hosts_->setToolTip("So many hosts in place of the machine file's number; 0: as the file says");
  connect(hosts_, &QSpinBox::valueChanged, this, [this](int hosts) {
    constexpr int merge = 0x706c616e;  // steps of one turn are undone together
    Scenario next = document_.scenario();
    next.hosts = hosts > 0 ? std::optional(hosts) : std::nullopt;
    document_.edit(hosts > 0 ? QString("%1 hosts").arg(hosts) : "Hosts as the file says", next,
                   merge);
  });
  static_cast<QHBoxLayout*>(layout())->addLayout(&labelled("Hosts", *hosts_, this), 1);
}

void InputRow::choose(InputKind kind, const QString& given) {
  const QString name = given == when_empty(kind) ? QString() : given.trimmed();
  if (name.toStdString() == input_of(document_.scenario(), kind)) return show_scenario();
  const Result<Scenario> next = with_input(document_.scenario(), kind, name.toStdString());
  if (!next) {
    show_scenario();
    emit document_.failed(QString::fromStdString(next.error().text()));
    return;
  }
  const QString shown = name.isEmpty() ? when_empty(kind) : name.section('/', -1);
  document_.edit(QString("%1 %2").arg(text(name_of(kind)), shown), *next);
}

void InputRow::browse(InputKind kind) {
  show_scenario();
  const QString file =
      QFileDialog::getOpenFileName(this, QString("Choose a file: %1").arg(text(name_of(kind))), {},
                                   "JSON (*.json);;All files (*)");
  if (!file.isEmpty()) choose(kind, file);
}

void InputRow::show_scenario() {
  const Scenario& scenario = document_.scenario();
  for (const InputKind kind : {InputKind::model, InputKind::topology, InputKind::plan,
                               InputKind::costs, InputKind::stack}) {
    QComboBox& shown = box(kind);
    const QSignalBlocker quiet(&shown);
    const std::string& name = input_of(scenario, kind);
    const QString words = name.empty() ? when_empty(kind) : QString::fromStdString(name);
    shown.setCurrentIndex(shown.findText(words));
    shown.setEditText(words);
    shown.lineEdit()->setCursorPosition(0);
    shown.setToolTip(tip_of(kind) + "\nNow: " + words);
  }
  const QSignalBlocker quiet(hosts_);
  hosts_->setValue(scenario.hosts.value_or(0));
  const Outcome* outcome = document_.outcome();
  hosts_->setSpecialValueText(outcome != nullptr && !scenario.hosts
                                  ? QString("file: %1").arg(outcome->topology().hosts.size())
                                  : QString("as the file"));
}

}  // namespace quintet::gui
