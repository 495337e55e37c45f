// A step that is kept as a graph of the device and launched again.
#include "engine/executor/walker.h"

namespace quintet::engine {

// A step is kept when the one before it was of its kind and went like the one before that.
Walker::Failure Walker::queue_step(Readiness& step, const StepKind& kind) {
  launched_ = Launched::piece_by_piece;
  // A graph holds its update: nothing asks the host in the middle of it.
  if (place_.has_graph() || may_keep_) work_.state().await_reader();
  if (place_.has_graph() && kept_kind_ == kind) {
    repeat_step();
    return std::nullopt;
  }
  if (may_keep_ && steps_ >= 2 && !place_.has_graph() && last_kind_ == kind) {
    kept_kind_ = kind;
    return keep_step(step);
  }
  work_.begin_step();
  fences_.begin_step(place_.here());
  return run(step);
}

Walker::Failure Walker::keep_step(Readiness& step) {
  launched_ = Launched::as_graph;
  place_.begin_graph();
  work_.begin_step();
  fences_.begin_step(place_.here());
  if (Failure wrong = run(step)) return wrong;
  place_.enter(compute_lane_);
  place_.end_graph();
  place_.launch_graph();
  return std::nullopt;
}

// What the host does between the queued work was done when it was kept: its memory stands where it
// stood then.
void Walker::repeat_step() {
  launched_ = Launched::as_graph;
  place_.launch_graph();
  ++launches_;
}

// A graph finds what it reads only where every step leaves it.
void Walker::check_steadiness() {
  const bool steady = place_.given() == given_;
  if (!steady && place_.has_graph()) {
    place_.drop_graph();
    may_keep_ = false;
  }
  given_ = place_.given();
}

}  // namespace quintet::engine
