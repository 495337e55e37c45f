#include "gui/pages/sweep/sweep_controls.h"

#include <QCompleter>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "gui/widgets/owned.h"

namespace quintet::gui {

namespace {

QString text(const std::string& words) {
  return QString::fromStdString(words);
}

QString told(const FieldOffer& offer) {
  QString words = text(offer.meaning) + ". Accepts " + text(offer.accepts);
  if (!offer.usual.empty()) words += "; usually " + text(offer.usual);
  return words + ".";
}

}  // namespace

SweepControls::SweepControls(QWidget* parent) : QWidget(parent), offers_(field_offers()) {
  for (const FieldOffer& offer : offers_) by_path_[text(offer.path)] = &offer;
  auto& column = owned<QVBoxLayout>(this);
  column.setContentsMargins(0, 0, 0, 0);
  column.setSpacing(4);
  lines_[0] = add_line("Vary");
  lines_[1] = add_line("And (may be empty)");
  auto& buttons = owned<QHBoxLayout>();
  run_ = &owned<QPushButton>("Run the sweep", this);
  run_->setObjectName("sweep-run");
  run_->setToolTip("Predict each of the values (Ctrl+R)");
  cancel_ = &owned<QPushButton>("Cancel", this);
  cancel_->setObjectName("sweep-cancel");
  buttons.addWidget(run_, 1);
  buttons.addWidget(cancel_);
  column.addLayout(&buttons);
  progress_ = &owned<QProgressBar>(this);
  progress_->setAccessibleName("Progress of the sweep");
  progress_->setFormat("%v of %m");
  column.addWidget(progress_);
  state_ = &owned<QLabel>(this);
  state_->setWordWrap(true);
  state_->setObjectName("sweep-state");
  column.addWidget(state_);
  connect(run_, &QPushButton::clicked, this, &SweepControls::run_wanted);
  connect(cancel_, &QPushButton::clicked, this, &SweepControls::cancel_wanted);
  show_run(false, 0, 0);
}

SweepControls::FieldLine SweepControls::add_line(const QString& which) {
  auto& column = static_cast<QVBoxLayout&>(*layout());
  FieldLine line;
  auto& label = owned<QLabel>(which, this);
  line.name = &owned<QComboBox>(this);
  line.name->setEditable(true);
  line.name->setInsertPolicy(QComboBox::NoInsert);
  line.name->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  line.name->setMinimumContentsLength(16);
  line.name->setAccessibleName(which + ": field");
  line.name->lineEdit()->setPlaceholderText("field, such as topology.nics");
  line.name->completer()->setFilterMode(Qt::MatchContains);
  line.name->completer()->setCompletionMode(QCompleter::PopupCompletion);
  label.setBuddy(line.name);
  line.values = &owned<QLineEdit>(this);
  line.values->setAccessibleName(which + ": values");
  line.values->setPlaceholderText("1,2,4  or  1..4 by 0.5  or  1..64 times 2");
  line.values->setToolTip("A list, 1,2,4, or a range, 1..4 by 0.5 or 1..64 times 2");
  line.meaning = &owned<QLabel>(this);
  line.meaning->setWordWrap(true);
  line.meaning->setForegroundRole(QPalette::PlaceholderText);
  for (QWidget* each : {static_cast<QWidget*>(&label), static_cast<QWidget*>(line.name),
                        static_cast<QWidget*>(line.values), static_cast<QWidget*>(line.meaning)})
    column.addWidget(each);
  fill(*line.name);
  connect(line.name, &QComboBox::currentTextChanged, this, [this, line] {
    show_meaning(line);
    emit wish_changed();
  });
  connect(line.values, &QLineEdit::textChanged, this, &SweepControls::wish_changed);
  connect(line.values, &QLineEdit::returnPressed, this, &SweepControls::run_wanted);
  return line;
}

void SweepControls::fill(QComboBox& names) const {
  const QSignalBlocker silent(names);
  const QString was = names.currentText();
  names.clear();
  names.addItem("");
  for (const QString& part : parts_) names.addItem("slow " + part);
  for (const FieldOffer& offer : offers_) names.addItem(text(offer.path), told(offer));
  for (int i = 0; i < names.count(); ++i)
    names.setItemData(i, names.itemData(i, Qt::UserRole), Qt::ToolTipRole);
  names.setCurrentText(was);
}

void SweepControls::offer_parts(const QStringList& parts) {
  if (parts == parts_) return;
  parts_ = parts;
  for (const FieldLine& line : lines_) fill(*line.name);
}

void SweepControls::show_meaning(const FieldLine& line) {
  const QString name = line.name->currentText().trimmed();
  const auto found = by_path_.find(name);
  QString words, example;
  if (found != by_path_.end()) {
    words = told(*found->second);
    QStringList choices;
    for (const std::string& word : found->second->words) choices << text(word);
    example = choices.join(",");
  } else if (name.startsWith("slow ")) {
    words = "The share of its rate that a part of the machine has left, more than 0 and less than 1.";
    example = "0.25,0.5,0.75";
  }
  line.meaning->setText(words.size() > 150 ? words.left(147) + "..." : words);
  line.meaning->setToolTip(words);
  if (line.values->text().isEmpty() && !example.isEmpty()) line.values->setText(example);
}

Result<std::vector<SweptField>> SweepControls::fields() const {
  std::vector<SweptField> all;
  for (const FieldLine& line : lines_) {
    const std::string name = line.name->currentText().trimmed().toStdString();
    if (name.empty()) continue;
    Result<SweptField> field = swept_field(name, line.values->text().toStdString());
    if (!field) return field.error();
    all.push_back(std::move(*field));
  }
  if (all.empty()) return Error{"sweep", "choose a field to vary"};
  return all;
}

void SweepControls::set_fields(const std::vector<SweptField>& fields) {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    lines_[i].values->clear();
    lines_[i].name->setCurrentText(i < fields.size() ? text(name_text(fields[i])) : "");
    QStringList values;
    if (i < fields.size())
      for (const std::string& value : fields[i].values) values << text(value);
    lines_[i].values->setText(values.join(","));
    lines_[i].values->setCursorPosition(0);
  }
}

void SweepControls::show_run(bool running, std::size_t done, std::size_t all) {
  cancel_->setVisible(running);
  progress_->setVisible(running);
  progress_->setRange(0, std::max(1, static_cast<int>(all)));
  progress_->setValue(static_cast<int>(done));
}

void SweepControls::show_state(const QString& text, bool wrong) {
  state_->setText(wrong ? "Wrong: " + text : text);
  state_->setVisible(!text.isEmpty());
}

}  // namespace quintet::gui
