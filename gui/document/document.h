// What the window is about: the scenario as edited, its prediction, the one before it, what was put
// aside to compare with, a recorded run. Pages show it, and edit it through here alone, so that
// each edit can be undone and is followed by a prediction.
#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/drawing/theme.h"
#include "gui/scenario/outcome.h"
#include "gui/scenario/session.h"
#include "gui/work/worker.h"
#include "sim/timeline/timeline.h"

namespace quintet::gui {

// A part of the step.
struct TimeRange {
  Instant from, to;
  bool operator==(const TimeRange&) const = default;
};

// When an edit is predicted without being asked for.
enum class Automatic { never, quick_ones, always };

// What an edit did to the step.
struct Effect {
  QString what;
  std::optional<Seconds> before, after;              // of the step; none: it did not fit
  std::optional<Bytes> memory_before, memory_after;  // of the fullest rank
};

// A scenario put aside, and its prediction where there is one yet.
struct Kept {
  KeptScenario what;
  const Outcome* outcome = nullptr;
  std::optional<Error> error;
};

class Document : public QObject {
  Q_OBJECT
 public:
  explicit Document(Session session = {}, QObject* parent = nullptr);
  ~Document() override;

  // With the view that who shows it last said it has.
  const Session& session() const { return session_; }
  const Scenario& scenario() const { return session_.scenario; }
  QUndoStack& undo_stack() { return undo_stack_; }
  // In place of all that is open; undoing ends there.
  void open(Session session);

  // Undoable, and predicted when that is quick (or always, or never: set_automatic). `what` is for
  // people: "Fail leaf0-spine1". Edits with one `merge` number other than -1 that follow each
  // other, such as those of a slider that is dragged, are undone together. Nothing where nothing
  // changes.
  void edit(const QString& what, const Scenario& next, int merge = -1);

  void predict();  // the scenario as it is now
  void cancel();
  Worker& worker() { return worker_; }
  void set_automatic(Automatic automatic) { automatic_ = automatic; }
  Automatic automatic() const { return automatic_; }

  // The newest prediction; null: there is none yet. Where outdated(), of an earlier scenario. Valid
  // until outcome_changed().
  const Outcome* outcome() const { return outcome_; }
  bool outdated() const { return outcome_ == nullptr || outcome_->scenario != scenario(); }
  // The prediction before it; null: none.
  const Outcome* earlier() const { return earlier_; }
  // Why the newest scenario has no prediction.
  const std::optional<Error>& error() const { return error_; }
  // What each edit did, in order.
  const std::vector<Effect>& effects() const { return effects_; }

  // Undoable as well.
  void keep(const QString& name);
  void forget(std::size_t number);
  void rename(std::size_t number, const QString& name);
  const std::vector<Kept>& kept() const { return kept_; }

  // Read outside the window's thread; failed() says what is wrong with it. Empty: none any more.
  void load_recording(const QString& file);
  const Timeline* recording() const { return recording_ ? &*recording_ : nullptr; }
  Worker& reader() { return reader_; }

  // What of the step other pages look at, too; none: all of it.
  void choose_range(std::optional<TimeRange> range);
  const std::optional<TimeRange>& range() const { return range_; }
  // A part of the machine as --fail names it; empty: none.
  void choose_part(const QString& part);
  const QString& part() const { return part_; }

  void set_view(const View& view);
  const Theme& theme() const;
  void set_appearance(Appearance appearance);

  // Saved as it is now.
  void set_saved();
  bool saved() const;

 signals:
  void scenario_changed();
  void outcome_changed();
  void kept_changed();
  void recording_changed();
  void range_changed();
  void part_changed();
  void appearance_changed();
  // Of what is saved, anything.
  void session_changed();
  // Something from outside is wrong: for people, with place and remedy.
  void failed(const QString& text);

 private:
  friend class SessionEdit;

  struct Change {
    Scenario scenario;
    std::vector<KeptScenario> kept;
  };
  void take(const QString& what, const Change& change);
  void push(const QString& what, Change next, int merge);
  void accept(Result<Outcome> result, const QString& what);
  void match_kept();
  void predict_kept();
  const Outcome* known(const Scenario& scenario) const;
  void drop_unused();

  Session session_;
  Session saved_;
  QUndoStack undo_stack_;
  Worker worker_, kept_worker_, reader_;
  Automatic automatic_ = Automatic::quick_ones;
  std::vector<std::unique_ptr<const Outcome>> outcomes_;  // all that anybody points to
  const Outcome* outcome_ = nullptr;
  const Outcome* earlier_ = nullptr;
  std::optional<Error> error_;
  std::vector<Effect> effects_;
  std::vector<Kept> kept_;
  std::optional<Timeline> recording_;
  std::optional<TimeRange> range_;
  QString part_;
};

}  // namespace quintet::gui
