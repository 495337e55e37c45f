#include "gui/models/sweep_run.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "sim/base/parallel.h"
#include "sim/command/predicted_plan.h"

namespace quintet::gui {

namespace {

// As `quintet simulate` predicts lists of values: on all cores.
int cores() {
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

PublishedResiduals residuals_or_none() {
  const Result<PublishedResiduals> read = shipped_residuals();
  return read ? *read : PublishedResiduals{};
}

}  // namespace

SweepRun::SweepRun(QObject* parent) : QObject(parent) {
  connect(&worker_, &Worker::ended, this, &SweepRun::ended);
  connect(&worker_, &Worker::broke, this, &SweepRun::broke);
}

std::optional<Error> SweepRun::start(const SweepWish& wish) {
  Result<std::vector<SweepCase>> cases = sweep_cases(wish);
  if (!cases) return cases.error();
  wish_ = wish;
  points_.assign(cases->size(), std::nullopt);
  const std::uint64_t sweep = ++sweep_;
  worker_.start("Sweeping", [this, sweep, all = std::move(*cases)](const Progress& progress) {
    const PublishedResiduals residuals = residuals_or_none();
    std::mutex telling;  // Worker's progress is of one thread
    const auto tell = [&](double) {
      const std::lock_guard lock(telling);
      progress(0.0);
    };
    for_each_index(all.size(), cores(), [&](std::size_t number) {
      tell(0.0);
      auto point = std::make_shared<SweepPoint>(swept_point(all[number], residuals, tell));
      QMetaObject::invokeMethod(
          this, [this, sweep, number, point] { accept(sweep, number, std::move(*point)); });
    });
    return [] {};
  });
  emit changed();
  return std::nullopt;
}

void SweepRun::cancel() {
  worker_.cancel();
}

void SweepRun::accept(std::uint64_t sweep, std::size_t number, SweepPoint point) {
  if (sweep != sweep_) return;
  points_[number] = std::move(point);
  emit progressed();
  emit changed();
}

std::size_t SweepRun::done() const {
  return static_cast<std::size_t>(
      std::count_if(points_.begin(), points_.end(), [](const auto& point) { return point; }));
}

std::vector<SweepPoint> SweepRun::come() const {
  std::vector<SweepPoint> all;
  for (const auto& point : points_)
    if (point) all.push_back(*point);
  return all;
}

std::vector<int> SweepRun::come_numbers() const {
  std::vector<int> numbers;
  for (std::size_t i = 0; i < points_.size(); ++i)
    if (points_[i]) numbers.push_back(static_cast<int>(i));
  return numbers;
}

}  // namespace quintet::gui
