// All that a picture of timelines needs, made once where a timeline is new: rows, bars, messages,
// the critical path. It holds the timelines, so that it can be made and kept apart from where they
// came from.
#pragma once

#include <QString>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gui/timeline/bar_store.h"
#include "gui/timeline/time_window.h"
#include "sim/explain/path/critical_path.h"
#include "sim/picture/pass_grid.h"
#include "sim/timeline/timeline.h"

namespace quintet::gui {

// A message that the timeline shows both ends of: indices of spans.
struct Message {
  std::uint32_t send = 0, receive = 0;
};

struct SceneSource {
  Timeline timeline;
  bool measured = false;
  Duration shift;  // by which its bars are drawn later than its own times
  std::vector<std::uint32_t> bar_of_span;
  std::vector<std::uint32_t> first_row_of_track;
  std::vector<Message> messages;  // in order of when they are sent
  std::vector<PathPiece> path;
  std::vector<PathShare> path_shares;
  std::optional<PassGrid> passes;  // of a pipeline
};

struct SceneRow {
  std::size_t source = 0;  // index into sources
  std::int32_t track = 0;
  QString group;       // "rank 256", of all rows of its track
  QString group_note;  // "stage 1, 256 ranks"
  QString lane;        // "compute", "compute (2)"
  bool first = false;  // of its group
};

// What a bar is of.
struct BarSubject {
  std::size_t source = 0;
  std::int64_t span = -1;  // index into spans; -1: a launch gap
  std::int64_t gap = -1;
};

struct Scene {
  std::vector<SceneSource> sources;  // the prediction first, where there is one
  std::vector<SceneRow> rows;        // as many as the bars have
  BarStore bars;
  TimeWindow whole;

  BarSubject subject(std::size_t bar) const { return subject_in(bars.row_of(bar), bar); }
  BarSubject subject_in(std::size_t row, std::size_t bar) const;  // of a bar of this row
  const Span* span_of(std::size_t bar) const;                     // null: a launch gap
  const SpanInfo* info_of(std::size_t bar) const;                 // likewise
  QString name_of(std::size_t bar) const;
  // Sent or received: the bar of the other side; none: it is no message, or not shown.
  std::optional<std::size_t> other_end(std::size_t bar) const;
  // Where a piece of a path is drawn: its bar, or the first row of its track.
  std::size_t row_of(const SceneSource& source, const PathPiece& piece) const;
};

struct SceneInput {
  std::optional<Timeline> predicted;
  std::vector<std::int32_t> track_of_rank;  // of the prediction
  std::optional<Timeline> measured;
};

// A recorded rank's rows stand below those of the track that predicts it, lane by lane; its times
// are moved so that both begin at once. `check` is called now and then with 0..1 and may throw.
Scene make_scene(SceneInput input, const std::function<void(double)>& check = {});

// What a bar's colour says.
Look look_of(const SpanInfo& info);
inline constexpr Look look_of_gap = Look::grey;
struct LookMeaning {
  Look look;
  const char* name;
};
const std::vector<LookMeaning>& look_meanings();

// "attention forward", its times, what it moved: a line each of what is known of a bar.
std::vector<std::pair<QString, QString>> facts_of(const Scene& scene, std::size_t bar);

}  // namespace quintet::gui
