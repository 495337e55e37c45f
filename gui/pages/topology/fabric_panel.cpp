#include "gui/pages/topology/fabric_panel.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/widgets/owned.h"

namespace quintet::gui {

namespace {

bool same_settings(const std::vector<FabricField>& fields, const auto& rows) {
  return fields.size() == rows.size() && std::equal(fields.begin(), fields.end(), rows.begin(),
                                                    [](const FabricField& field, const auto& row) {
                                                      return field.setting == row.field.setting;
                                                    });
}

}  // namespace

FabricPanel::FabricPanel(Document& document, QWidget* parent)
    : QWidget(parent), document_(document) {
  auto& column = owned<QVBoxLayout>(this);
  column.setContentsMargins(8, 8, 8, 8);
  message_ = &owned<QLabel>(this);
  message_->setWordWrap(true);
  message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  message_->setAccessibleName("What is wrong with the machine asked for");
  column.addWidget(message_);
  form_ = &owned<QFormLayout>();
  form_->setRowWrapPolicy(QFormLayout::WrapLongRows);
  column.addLayout(form_);
  auto& hint = owned<QLabel>(
      "Enter takes a value, an empty field goes back to the file's. Messages come while you type.",
      this);
  hint.setWordWrap(true);
  column.addWidget(&hint);
  column.addStretch();
  typing_.setSingleShot(true);
  typing_.setInterval(120);
  connect(&typing_, &QTimer::timeout, this, [this] { check(typed_); });
}

QLineEdit& FabricPanel::add_row(const FabricField& field) {
  auto& edit = owned<QLineEdit>(this);
  edit.setObjectName(QString::fromStdString(field.setting));
  edit.setAccessibleName(QString::fromStdString(field.label));
  const QString tip =
      QString::fromStdString(field.meaning + "\nAccepted: " + field.accepted + "\n" +
                             (field.setting == "hosts" ? "--hosts" : "--set " + field.setting));
  edit.setToolTip(tip);
  edit.setAccessibleDescription(tip);
  auto& label = owned<QLabel>(QString::fromStdString(field.label), this);
  label.setToolTip(tip);
  label.setBuddy(&edit);
  if (field.setting != "hosts") {
    form_->addRow(&label, &edit);
    return edit;
  }
  auto& line = owned<QHBoxLayout>();
  line.addWidget(&edit, 1);
  for (const int more : {-1, 1}) {
    auto& button = owned<QToolButton>(this);
    button.setText(more < 0 ? "\u2212" : "+");
    button.setAccessibleName(more < 0 ? "One host less" : "One host more");
    button.setToolTip(button.accessibleName());
    connect(&button, &QToolButton::clicked, this, [this, more] { add_hosts(more); });
    line.addWidget(&button);
  }
  form_->addRow(&label, &line);
  return edit;
}

void FabricPanel::rebuild(const std::vector<FabricField>& fields) {
  while (form_->rowCount() > 0) form_->removeRow(0);
  rows_.clear();
  for (const FabricField& field : fields) {
    const std::size_t row = rows_.size();
    QLineEdit& edit = add_row(field);
    rows_.push_back({field, &edit});
    connect(&edit, &QLineEdit::textEdited, this, [this, row] {
      typed_ = row;
      typing_.start();
    });
    connect(&edit, &QLineEdit::editingFinished, this, [this, row] { commit(row); });
  }
}

void FabricPanel::show(const std::vector<FabricField>& fields) {
  if (!same_settings(fields, rows_)) rebuild(fields);
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    rows_[row].field = fields[row];
    QLineEdit& edit = *rows_[row].edit;
    if (edit.isModified() && edit.hasFocus()) continue;
    edit.setText(QString::fromStdString(fields[row].value));
  }
  say_fit();
}

void FabricPanel::say_fit() {
  const Outcome* const outcome = document_.outcome();
  if (document_.error())
    say(QString::fromStdString(document_.error()->text()), true);
  else if (outcome != nullptr && outcome->refused && !document_.outdated())
    say(QString::fromStdString("The plan does not fit: " + outcome->refused->error.text()), true);
  else
    say("", false);
}

void FabricPanel::show_wrong(const QString& text) {
  say(text, true);
}

void FabricPanel::say(const QString& text, bool wrong) {
  QPalette colors = palette();
  if (wrong) colors.setColor(QPalette::WindowText, document_.theme().warning);
  message_->setPalette(colors);
  message_->setText((wrong && !text.isEmpty() ? QString("\u2717 ") : QString()) + text);
  message_->setVisible(!text.isEmpty());
}

void FabricPanel::check(std::size_t row) {
  if (row >= rows_.size()) return;
  const std::string asked = rows_[row].edit->text().trimmed().toStdString();
  const Scenario next = with_fabric_field(document_.scenario(), rows_[row].field.setting, asked);
  if (rows_[row].field.setting == "hosts" && !asked.empty() && !next.hosts)
    return say("Hosts: expected " + QString::fromStdString(rows_[row].field.accepted), true);
  worker_.start("Checking the machine", [this, next](const Progress&) {
    const FabricCheck found = check_fabric(next);
    return [this, found] {
      say(QString::fromStdString(found.wrong.empty() ? "Enter: " + found.text : found.wrong),
          !found.wrong.empty());
    };
  });
}

// Taken only where a machine can be built of it; the message stays otherwise.
void FabricPanel::commit(std::size_t row) {
  QLineEdit& edit = *rows_[row].edit;
  if (!edit.isModified()) return;
  edit.setModified(false);
  typing_.stop();
  const FabricField field = rows_[row].field;
  const std::string asked = edit.text().trimmed().toStdString();
  if (asked == field.value) return;
  const Scenario next = with_fabric_field(document_.scenario(), field.setting, asked);
  if (field.setting == "hosts" && !asked.empty() && !next.hosts)
    return say("Hosts: expected " + QString::fromStdString(field.accepted), true);
  const QString what =
      QString::fromStdString(field.label + (asked.empty() ? " as its file says" : " " + asked));
  worker_.start("Checking the machine", [this, next, what](const Progress&) {
    const FabricCheck found = check_fabric(next);
    return [this, found, next, what] {
      if (!found.wrong.empty()) return say(QString::fromStdString(found.wrong), true);
      say("", false);
      document_.edit(what, next);
    };
  });
}

void FabricPanel::add_hosts(int more) {
  for (const Row& row : rows_) {
    if (row.field.setting != "hosts") continue;
    const int hosts = row.edit->text().toInt() + more;
    if (hosts < 1) return;
    Scenario next = document_.scenario();
    next.hosts = hosts;
    document_.edit(QString("%1 hosts").arg(hosts), next);
    return;
  }
}

}  // namespace quintet::gui
