#include "gui/document/document.h"

#include <QUndoCommand>
#include <algorithm>
#include <utility>

#include "gui/document/any_timeline.h"

namespace quintet::gui {

namespace {

// A prediction is made without being asked for where the last took less.
constexpr Seconds quick{2.0};

std::optional<Seconds> step_of(const Outcome* outcome) {
  if (outcome == nullptr || !outcome->predicted()) return std::nullopt;
  return outcome->prediction().summary.step;
}

std::optional<Bytes> memory_of(const Outcome* outcome) {
  if (outcome == nullptr || !outcome->predicted()) return std::nullopt;
  const std::optional<RankMemory> rank = fullest(outcome->prediction().memory);
  if (!rank) return std::nullopt;
  return total(*rank);
}

}  // namespace

class SessionEdit : public QUndoCommand {
 public:
  SessionEdit(Document& document, const QString& what, Document::Change after, int merge)
      : QUndoCommand(what),
        document_(document),
        before_{document.session_.scenario, document.session_.kept},
        after_(std::move(after)),
        merge_(merge) {}

  void undo() override { document_.take("Undo " + text(), before_); }
  void redo() override { document_.take(text(), after_); }
  int id() const override { return merge_; }
  bool mergeWith(const QUndoCommand* other) override {
    after_ = static_cast<const SessionEdit*>(other)->after_;
    setText(other->text());
    return true;
  }

 private:
  Document& document_;
  Document::Change before_, after_;
  int merge_;
};

Document::Document(Session session, QObject* parent)
    : QObject(parent), session_(std::move(session)), saved_(session_) {
  connect(&worker_, &Worker::broke, this, &Document::failed);
  connect(&kept_worker_, &Worker::broke, this, &Document::failed);
  connect(&reader_, &Worker::broke, this, &Document::failed);
  match_kept();
}

Document::~Document() = default;

void Document::open(Session session) {
  worker_.cancel();
  kept_worker_.cancel();
  session_ = std::move(session);
  saved_ = session_;
  undo_stack_.clear();
  effects_.clear();
  earlier_ = nullptr;
  choose_range(std::nullopt);
  choose_part("");
  match_kept();
  emit scenario_changed();
  emit kept_changed();
  emit appearance_changed();
  emit session_changed();
  load_recording(QString::fromStdString(session_.recording));
  predict();
  predict_kept();
}

void Document::edit(const QString& what, const Scenario& next, int merge) {
  if (next == session_.scenario) return;
  push(what, {next, session_.kept}, merge);
}

void Document::push(const QString& what, Change next, int merge) {
  undo_stack_.push(new SessionEdit(*this, what, std::move(next), merge));
}

void Document::take(const QString& what, const Change& change) {
  const bool other_scenario = change.scenario != session_.scenario;
  const bool other_kept = change.kept != session_.kept;
  session_.scenario = change.scenario;
  session_.kept = change.kept;
  if (other_kept) {
    match_kept();
    emit kept_changed();
    predict_kept();
  }
  if (other_scenario) {
    effects_.push_back({what, step_of(outcome_), {}, memory_of(outcome_), {}});
    emit scenario_changed();
  }
  emit session_changed();
  if (!other_scenario) return;
  const bool is_quick = outcome_ == nullptr || outcome_->took < quick;
  if (automatic_ == Automatic::always || (automatic_ == Automatic::quick_ones && is_quick))
    predict();
}

void Document::predict() {
  const Scenario scenario = session_.scenario;
  worker_.start("Predicting", [this, scenario](const Progress& progress) {
    Result<Outcome> result = outcome_of(scenario, progress);
    return [this, result = std::move(result)]() mutable { accept(std::move(result), ""); };
  });
  if (!kept_worker_.busy()) predict_kept();
}

void Document::cancel() {
  worker_.cancel();
}

void Document::accept(Result<Outcome> result, const QString&) {
  if (!result) {
    error_ = result.error();
    emit outcome_changed();
    emit failed(QString::fromStdString(error_->text()));
    return;
  }
  error_.reset();
  if (outcome_ != nullptr && outcome_->scenario != result->scenario) earlier_ = outcome_;
  outcomes_.push_back(std::make_unique<const Outcome>(std::move(*result)));
  outcome_ = outcomes_.back().get();
  if (!effects_.empty() && outcome_->scenario == session_.scenario) {
    effects_.back().after = step_of(outcome_);
    effects_.back().memory_after = memory_of(outcome_);
  }
  match_kept();
  emit outcome_changed();
  drop_unused();
}

const Outcome* Document::known(const Scenario& scenario) const {
  for (const auto& outcome : outcomes_)
    if (outcome->scenario == scenario) return outcome.get();
  return nullptr;
}

void Document::match_kept() {
  std::vector<Kept> matched;
  for (const KeptScenario& each : session_.kept) {
    matched.push_back({each, known(each.scenario), std::nullopt});
    for (const Kept& before : kept_)  // what cannot be read is not tried again and again
      if (before.what.scenario == each.scenario) matched.back().error = before.error;
  }
  kept_ = std::move(matched);
}

void Document::predict_kept() {
  const auto missing = std::find_if(kept_.begin(), kept_.end(), [](const Kept& each) {
    return each.outcome == nullptr && !each.error;
  });
  if (missing == kept_.end()) return;
  const Scenario scenario = missing->what.scenario;
  kept_worker_.start("Predicting what was kept", [this, scenario](const Progress& progress) {
    Result<Outcome> result = outcome_of(scenario, progress);
    return [this, scenario, result = std::move(result)]() mutable {
      if (result) outcomes_.push_back(std::make_unique<const Outcome>(std::move(*result)));
      for (Kept& each : kept_) {
        if (each.what.scenario != scenario) continue;
        if (result)
          each.outcome = outcomes_.back().get();
        else
          each.error = result.error();
      }
      emit kept_changed();
      predict_kept();
    };
  });
}

void Document::drop_unused() {
  std::erase_if(outcomes_, [this](const auto& outcome) {
    return outcome.get() != outcome_ && outcome.get() != earlier_ &&
           std::none_of(kept_.begin(), kept_.end(),
                        [&](const Kept& each) { return each.outcome == outcome.get(); });
  });
}

void Document::keep(const QString& name) {
  Change next{session_.scenario, session_.kept};
  next.kept.push_back({name.toStdString(), session_.scenario});
  push("Keep " + name, std::move(next), -1);
}

void Document::forget(std::size_t number) {
  Change next{session_.scenario, session_.kept};
  const QString name = QString::fromStdString(next.kept[number].name);
  next.kept.erase(next.kept.begin() + static_cast<std::ptrdiff_t>(number));
  push("Forget " + name, std::move(next), -1);
}

void Document::rename(std::size_t number, const QString& name) {
  Change next{session_.scenario, session_.kept};
  std::string& called = next.kept[number].name;
  if (called == name.toStdString()) return;
  const QString before = QString::fromStdString(called);
  called = name.toStdString();
  push("Rename " + before + " to " + name, std::move(next), -1);
}

void Document::load_recording(const QString& file) {
  if (file.isEmpty()) {
    reader_.cancel();
    const bool had_one = recording_.has_value() || !session_.recording.empty();
    recording_.reset();
    session_.recording.clear();
    if (had_one) emit recording_changed();
    return;
  }
  const std::string name = file.toStdString();
  reader_.start("Reading " + file, [this, name](const Progress& progress) {
    Result<Timeline> timeline =
        read_any_timeline(name, [&progress](std::size_t read, std::size_t of) {
          progress(static_cast<double>(read) / static_cast<double>(of));
        });
    return [this, name, timeline = std::move(timeline)]() mutable {
      if (!timeline) {
        emit failed(QString::fromStdString(timeline.error().text()));
        return;
      }
      recording_ = std::move(*timeline);
      session_.recording = name;
      emit recording_changed();
      emit session_changed();
    };
  });
}

void Document::choose_range(std::optional<TimeRange> range) {
  if (range == range_) return;
  range_ = range;
  emit range_changed();
}

void Document::choose_part(const QString& part) {
  if (part == part_) return;
  part_ = part;
  emit part_changed();
}

void Document::set_view(const View& view) {
  if (view == session_.view) return;
  session_.view = view;
  emit session_changed();
}

const Theme& Document::theme() const {
  for (const Appearance each : {Appearance::dark, Appearance::high_contrast})
    if (name_of(each) == session_.view.appearance) return theme_of(each);
  return theme_of(Appearance::light);
}

void Document::set_appearance(Appearance appearance) {
  if (theme().appearance == appearance) return;
  session_.view.appearance = name_of(appearance);
  emit appearance_changed();
  emit session_changed();
}

void Document::set_saved() {
  saved_ = session_;
}

bool Document::saved() const {
  return saved_.scenario == session_.scenario && saved_.kept == session_.kept &&
         saved_.recording == session_.recording;
}

}  // namespace quintet::gui
