// A cost table under review: which of its points count, what that makes of its fits, and the file
// that comes of it. Which points count can be undone, apart from what the document undoes.
#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gui/work/worker.h"
#include "sim/base/result.h"
#include "sim/cost/refit/part_fit.h"

namespace quintet::gui {

class CostReview : public QObject {
  Q_OBJECT
 public:
  explicit CostReview(QObject* parent = nullptr);
  ~CostReview() override;

  // Read and fitted in a thread; loaded(), or failed() and what was open stays. What was excluded
  // of another table is forgotten.
  void load(const QString& file);
  const QString& file() const { return file_; }  // empty: none is loaded
  const CostTable& table() const { return table_; }

  // Of cost_parts(table()). Those of a part whose points were just chosen anew may still be made.
  const std::vector<PartFit>& fits() const { return fits_; }
  const std::vector<PartFit>& fits_of_all_points() const { return first_fits_; }
  const ExcludedPoints& excluded() const { return excluded_; }

  // Undoable. `what` is for people: "Leave out 64 KiB". Where too few points would be left,
  // failed() says so and nothing changes.
  void choose(const QString& what, const ExcludedPoints& excluded);
  QUndoStack& undo_stack() { return undo_stack_; }
  // What the others of the part contradict, beside what is excluded already.
  ExcludedPoints with_contradicted(std::size_t part) const;
  // Without any of the part.
  ExcludedPoints with_all_of(std::size_t part) const;

  // As `quintet simulate --costs` reads it.
  std::optional<Error> save(const std::filesystem::path& file);
  bool saved() const { return excluded_ == saved_; }
  bool busy() const { return worker_.busy(); }
  Worker& worker() { return worker_; }

 signals:
  void loaded();
  void points_chosen();           // excluded() is another one
  void fitted(std::size_t part);  // its fit is another one
  void failed(const QString& text);

 private:
  friend class PointChoice;
  struct Loaded;

  void take(Loaded loaded);
  void set_excluded(const ExcludedPoints& excluded);
  void fit_what_is_stale();

  QString file_;
  std::string text_;
  CostTable table_;
  std::vector<PartFit> fits_, first_fits_;
  ExcludedPoints excluded_, saved_;
  std::set<std::size_t> stale_;
  QUndoStack undo_stack_;
  Worker worker_;
};

}  // namespace quintet::gui
