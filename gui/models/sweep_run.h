// A sweep that runs, or has run: its points, as they come.
#pragma once

#include <QObject>
#include <QString>
#include <optional>
#include <vector>

#include "gui/scenario/sweep/sweep_point.h"
#include "gui/work/worker.h"

namespace quintet::gui {

class SweepRun : public QObject {
  Q_OBJECT
 public:
  explicit SweepRun(QObject* parent = nullptr);

  // In place of the sweep before, whose points go. The error says what is wrong with the wish.
  std::optional<Error> start(const SweepWish& wish);
  void cancel();  // points that have come stay
  bool running() const { return worker_.busy(); }

  const SweepWish& wish() const { return wish_; }
  // One per case, in their order; none: not predicted (yet).
  const std::vector<std::optional<SweepPoint>>& points() const { return points_; }
  std::size_t done() const;
  // Those that have come, and their numbers among the cases.
  std::vector<SweepPoint> come() const;
  std::vector<int> come_numbers() const;

 signals:
  void changed();     // points have come, or all went
  void progressed();  // one more is done
  void ended();       // all have come, or it was cancelled
  void broke(const QString& why);

 private:
  void accept(std::uint64_t sweep, std::size_t number, SweepPoint point);

  SweepWish wish_;
  std::vector<std::optional<SweepPoint>> points_;
  std::uint64_t sweep_ = 0;
  Worker worker_;  // ends first
};

}  // namespace quintet::gui
