// A page of the window: what it is called, which question it answers, and what of it can be taken
// along as a picture or a table.
#pragma once

#include <QAbstractItemModel>
#include <QAction>
#include <QPainter>
#include <QSizeF>
#include <QString>
#include <QWidget>
#include <functional>
#include <vector>

#include "gui/document/document.h"

namespace quintet::gui {

// Something to export: a picture as PNG and SVG, the table behind it as CSV.
struct Exported {
  QString name;   // of its files: letters, digits, '-'
  QString title;  // for people
  // Draws all of it into (0, 0) .. size, background included; empty: only a table. The same
  // function paints the window, so that a picture is what was seen.
  std::function<void(QPainter&, const QSizeF& size)> paint;
  // Must live as long as the page; null: only a picture. Its display texts are what CSV gets.
  const QAbstractItemModel* table = nullptr;
};

class Page : public QWidget {
  Q_OBJECT
 public:
  Page(Document& document, QWidget* parent) : QWidget(parent), document_(document) {}

  virtual QString name() const = 0;      // in session files and behind --page: "topology"
  virtual QString title() const = 0;     // of its tab: "Topology"
  virtual QString question() const = 0;  // "What carries the load, and what if it breaks?"
  virtual std::vector<Exported> exports() = 0;
  // What the page alone can do; the window puts them into its menu and command palette.
  virtual QList<QAction*> own_actions() { return {}; }
  // What the page shows as a command line; empty: the scenario's own.
  virtual QString command() const { return {}; }
  // Whether it still works on what it is to show (a sweep that runs, a file that is read).
  virtual bool busy() const { return false; }

 protected:
  Document& document() { return document_; }
  const Document& document() const { return document_; }

 private:
  Document& document_;
};

}  // namespace quintet::gui
