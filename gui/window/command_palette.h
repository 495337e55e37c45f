// Every action by its words: what it is called, which keys do it.
#pragma once

#include <QAction>
#include <QDialog>
#include <QLineEdit>
#include <QListWidget>
#include <vector>

namespace quintet::gui {

class CommandPalette : public QDialog {
  Q_OBJECT
 public:
  CommandPalette(std::vector<QAction*> actions, QWidget* parent);

 private:
  void show_matches(const QString& words);
  void act();
  bool eventFilter(QObject* watched, QEvent* event) override;

  std::vector<QAction*> actions_;
  QLineEdit* words_;
  QListWidget* matches_;
};

// A page of text for people: each action and its keys.
QString keys_html(const std::vector<QAction*>& actions);

}  // namespace quintet::gui
