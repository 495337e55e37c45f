#include "gui/window/command_palette.h"

#include <QKeyEvent>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/widgets/owned.h"

namespace quintet::gui {

namespace {

QString words_of(const QAction& action) {
  QString text = action.text();
  return text.remove('&').remove("...");
}

}  // namespace

CommandPalette::CommandPalette(std::vector<QAction*> actions, QWidget* parent)
    : QDialog(parent), actions_(std::move(actions)) {
  setWindowTitle("Commands");
  resize(520, 380);
  auto& column = owned<QVBoxLayout>(this);
  words_ = &owned<QLineEdit>(this);
  words_->setPlaceholderText("What is to be done?");
  words_->setAccessibleName("Words of the command");
  words_->installEventFilter(this);
  matches_ = &owned<QListWidget>(this);
  matches_->setAccessibleName("Commands that match");
  column.addWidget(words_);
  column.addWidget(matches_);
  connect(words_, &QLineEdit::textChanged, this, &CommandPalette::show_matches);
  connect(words_, &QLineEdit::returnPressed, this, &CommandPalette::act);
  connect(matches_, &QListWidget::itemActivated, this, &CommandPalette::act);
  show_matches("");
}

void CommandPalette::show_matches(const QString& words) {
  matches_->clear();
  for (QAction* action : actions_) {
    const QString text = words_of(*action);
    const QStringList parts = words.split(' ', Qt::SkipEmptyParts);
    const bool matches = std::all_of(parts.begin(), parts.end(), [&](const QString& part) {
      return text.contains(part, Qt::CaseInsensitive);
    });
    if (!matches || !action->isEnabled()) continue;
    const QString keys = action->shortcut().toString(QKeySequence::NativeText);
    auto& item = owned<QListWidgetItem>(keys.isEmpty() ? text : text + "    " + keys, matches_);
    item.setData(Qt::UserRole, QVariant::fromValue(action));
  }
  matches_->setCurrentRow(0);
}

void CommandPalette::act() {
  const QListWidgetItem* item = matches_->currentItem();
  if (item == nullptr) return;
  auto* action = item->data(Qt::UserRole).value<QAction*>();
  accept();
  action->trigger();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
  const int key = static_cast<QKeyEvent*>(event)->key();
  const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
  if (step == 0) return QDialog::eventFilter(watched, event);
  matches_->setCurrentRow(std::clamp(matches_->currentRow() + step, 0, matches_->count() - 1));
  return true;
}

QString keys_html(const std::vector<QAction*>& actions) {
  QString rows;
  for (const QAction* action : actions) {
    if (action->shortcut().isEmpty()) continue;
    rows += QString("<tr><td><b>%1</b>&nbsp;&nbsp;</td><td>%2</td></tr>")
                .arg(action->shortcut().toString(QKeySequence::NativeText).toHtmlEscaped(),
                     words_of(*action).toHtmlEscaped());
  }
  return "<table>" + rows + "</table>";
}

}  // namespace quintet::gui
