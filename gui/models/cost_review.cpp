#include "gui/models/cost_review.h"

#include <QUndoCommand>
#include <algorithm>
#include <utility>

#include "sim/base/text_file.h"
#include "sim/command/output_files.h"
#include "sim/cost/file/cost_table_file.h"
#include "sim/cost/refit/refitted.h"
#include "sim/cost/refit/refitted_file.h"

namespace quintet::gui {

struct CostReview::Loaded {
  QString file;
  std::string text;
  CostTable table;
  std::vector<PartFit> fits;
};

class PointChoice : public QUndoCommand {
 public:
  PointChoice(CostReview& review, const QString& what, ExcludedPoints after)
      : QUndoCommand(what), review_(review), before_(review.excluded_), after_(std::move(after)) {}
  void undo() override { review_.set_excluded(before_); }
  void redo() override { review_.set_excluded(after_); }

 private:
  CostReview& review_;
  ExcludedPoints before_, after_;
};

namespace {

std::vector<PartFit> all_fits(const CostTable& table, const Progress& progress) {
  const std::vector<CostPart> parts = cost_parts(table);
  std::vector<PartFit> fits;
  for (const CostPart& part : parts) {
    progress(static_cast<double>(fits.size()) / static_cast<double>(parts.size()));
    fits.push_back(fit_of(table, part, {}));
  }
  return fits;
}

bool is_of(const PointPlace& place, const PartFit& fit) {
  return std::any_of(fit.points.begin(), fit.points.end(),
                     [&](const FitPoint& point) { return point.place == place; });
}

}  // namespace

CostReview::CostReview(QObject* parent) : QObject(parent) {
  connect(&worker_, &Worker::broke, this, &CostReview::failed);
}

// Nobody is told of the choices that go: who listens may be gone.
CostReview::~CostReview() {
  undo_stack_.disconnect();
}

void CostReview::load(const QString& file) {
  const std::string name = file.toStdString();
  worker_.start("Reading " + file, [this, file, name](const Progress& progress) {
    Result<std::string> text = read_text_file(name);
    std::optional<Error> error;
    Loaded loaded{file, "", {}, {}};
    if (!text) {
      error = text.error();
    } else if (Result<CostTable> table = parse_cost_table(*text, name); !table) {
      error = table.error();
    } else {
      loaded.fits = all_fits(*table, progress);
      loaded.text = std::move(*text);
      loaded.table = std::move(*table);
    }
    return [this, error, loaded = std::move(loaded)]() mutable {
      if (error)
        emit failed(QString::fromStdString(error->text()));
      else
        take(std::move(loaded));
    };
  });
}

void CostReview::take(Loaded loaded) {
  undo_stack_.clear();
  excluded_.clear();
  saved_.clear();
  stale_.clear();
  file_ = loaded.file;
  text_ = std::move(loaded.text);
  table_ = std::move(loaded.table);
  fits_ = std::move(loaded.fits);
  first_fits_ = fits_;
  emit this->loaded();
}

void CostReview::choose(const QString& what, const ExcludedPoints& excluded) {
  if (excluded == excluded_) return;
  if (const auto error = why_not_without(table_, excluded))
    emit failed(QString::fromStdString(error->text()));
  else
    undo_stack_.push(new PointChoice(*this, what, excluded));
}

void CostReview::set_excluded(const ExcludedPoints& excluded) {
  ExcludedPoints changed;
  std::set_symmetric_difference(excluded_.begin(), excluded_.end(), excluded.begin(),
                                excluded.end(), std::inserter(changed, changed.end()));
  excluded_ = excluded;
  for (std::size_t part = 0; part < fits_.size(); ++part)
    if (std::any_of(changed.begin(), changed.end(),
                    [&](const PointPlace& place) { return is_of(place, fits_[part]); }))
      stale_.insert(part);
  emit points_chosen();
  fit_what_is_stale();
}

void CostReview::fit_what_is_stale() {
  std::vector<std::pair<std::size_t, CostPart>> asked;
  for (const std::size_t part : stale_) asked.emplace_back(part, fits_[part].part);
  worker_.start("Fitting",
                [this, asked, table = table_, excluded = excluded_](const Progress& progress) {
                  std::vector<std::pair<std::size_t, PartFit>> made;
                  for (const auto& [number, part] : asked) {
                    progress(static_cast<double>(made.size()) / static_cast<double>(asked.size()));
                    made.emplace_back(number, fit_of(table, part, excluded));
                  }
                  return [this, made = std::move(made)]() mutable {
                    for (auto& [number, fit] : made) {
                      fits_[number] = std::move(fit);
                      stale_.erase(number);
                      emit fitted(number);
                    }
                  };
                });
}

ExcludedPoints CostReview::with_contradicted(std::size_t part) const {
  ExcludedPoints all = excluded_;
  for (const FitPoint& point : fits_[part].points)
    if (point.contradicted) all.insert(point.place);
  return all;
}

ExcludedPoints CostReview::with_all_of(std::size_t part) const {
  ExcludedPoints others = excluded_;
  for (const FitPoint& point : fits_[part].points) others.erase(point.place);
  return others;
}

std::optional<Error> CostReview::save(const std::filesystem::path& file) {
  const Result<std::string> text = refitted_text(text_, file_.toStdString(), excluded_);
  if (!text) return text.error();
  if (auto error = write_file(file, *text)) return error;
  saved_ = excluded_;
  return std::nullopt;
}

}  // namespace quintet::gui
