// What a person can do on the topology page.
#include <QInputDialog>

#include "gui/pages/topology/topology_page.h"
#include "gui/widgets/owned.h"

namespace quintet::gui {

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
  add_action("Unfold or fold the chosen part", {}, [this] { open_or_close(picture_.chosen_box); });
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
    QAction& slow =
        add_action(QString("Slow the chosen part to %1 %").arg(percent), {}, [this, percent] {
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
        this, "Add latency",
        "What a message meets beside the usual, such as 5us:", QLineEdit::Normal, "5us", &given);
    if (given)
      change_fault(
          [&text](PartFault& fault) {
            fault.failed = false;
            fault.delay = text.trimmed().toStdString();
          },
          "Delay %1 by " + text.trimmed());
  });
  restore_ =
      &add_action("Restore the chosen part", QKeySequence(Qt::CTRL | Qt::Key_Delete),
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
  button.setToolTip(action.text() + " " + action.shortcut().toString(QKeySequence::NativeText));
  tools_->addWidget(&button);
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

}  // namespace quintet::gui
