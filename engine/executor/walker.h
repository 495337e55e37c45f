// Walks one rank's script by the rules that the simulator walks it by (sim/program/readiness.h),
// with the real clock: kernels one after another on the calling thread, communication in the
// background; waits only where the program says so. Deadlock-free as far as the program is:
// whatever may start is started before it waits.
//
// On a device all is queued, each lane's on its stream, and counts as finished at once, so that the
// thread waits only for tickets and, when it asks for what a step came to, for the device; the next
// step may be queued before that. Streams wait for each other as the program says. Where
// communication is queued too, messages are received just in time (receive_times.h), and the device
// is asked for no memory during a step.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/executor/fences.h"
#include "engine/executor/rank_work.h"
#include "engine/executor/receive_times.h"
#include "engine/executor/step_graphs.h"
#include "engine/recording/attribution.h"
#include "sim/program/readiness.h"
#include "sim/timeline/timeline.h"

namespace quintet::engine {

struct WalkedStep {
  StepResult result;
  std::vector<Span> spans;
  // What the rank's own thread computed in each span, however many others wanted its core in the
  // meantime. Of communication, which goes on in the background: what it packed before and
  // unpacked after. On a device: empty.
  std::vector<Duration> cpu;
  // What a recorder tells of each span; empty: there was none.
  std::vector<std::string> notes;
  RecordCounts records;
  Clock::time_point end;  // the host knew that all was done; records were not asked for yet
};

// Whether steps may be kept as graphs.
enum class MayKeep { no, yes };

class Walker {
 public:
  Walker(const Program& program, const Role& role, Rank rank, RankWork& work,
         CommunicationBackend& backend, Workplace& place, MayKeep may_keep);

  // Queues one step; without a device it is done then. At most two are not finished, and only one
  // where times are taken.
  std::optional<Error> queue(const StepInput& input, Clock::time_point origin);
  // Waits for the oldest of them; times since its `origin`, `info` counts the program's
  // instructions.
  Result<WalkedStep> finish();
  // A step of which nothing is known later (rehearsal.h).
  std::optional<Error> rehearse(const StepInput& input, CommunicationBackend& alone);
  // Which of the program's work was taken up last: "qkv forward of layer 2, micro-batch 1"; empty
  // between steps.
  std::string doing() const;
  // Steps that were launched as a graph.
  std::int64_t launches() const { return launches_; }
  // How many were queued: uses of communicators are numbered by it, on all ranks alike.
  std::uint64_t steps() const { return steps_; }
  void count_from(std::uint64_t steps) { steps_ = steps; }

 private:
  struct Times {
    Clock::time_point start, moving, end;
    Duration cpu;
    int moment = 0;  // of its start on a device
  };
  struct Flying {
    int task = 0;
    Ticket ticket;
    Buffer message;  // of sends and receives
    Times times;
  };
  // A task's time on a device.
  struct Timed {
    int task = 0, start = 0, end = 0;  // moments
  };
  // Up to where a lane is behind a task.
  struct Mark {
    std::size_t lane = 0;
    std::uint64_t number = 0;  // places.h
    int task = 0;
  };
  enum class Launched { piece_by_piece, as_graph };
  struct Queued {
    std::uint64_t number = 0;
    Clock::time_point origin, began;
    Launched launched = Launched::piece_by_piece;
    std::vector<Mark> marks{};
    WalkedStep walked{};
  };
  using Failure = std::optional<Error>;

  const Instruction& instruction(int task) const;
  const Call& call(int task) const;
  Situation situation(int task) const;
  std::size_t lane(int task) const { return static_cast<std::size_t>(list_.task(task).lane); }
  Failure run(Readiness& step);
  Failure queue_step(Readiness& step, const StepKind& kind);
  Failure keep_step(Readiness& step);
  void repeat_step();
  void check_steadiness();
  bool start_communication(Readiness& step);
  bool is_early(int task, const Readiness& step) const;
  Places places_before(int task);
  bool run_kernel(Readiness& step);
  void run_now(Readiness& step, int task);
  bool passes_over(Readiness& step, int task);
  Failure collect(Readiness& step, Patience patience);
  void launch(int task);
  std::uint64_t tag(int chunk, const Situation& at) const;
  void land(Flying& flying);
  void take_up(Readiness& step, int task);
  void finish(Readiness& step, int task);
  void leave(int task);
  void tell(int task, const Times& times);
  void add_timed_spans(const Queued& step);
  void add_recorded_spans(const Queued& step);
  std::string undone() const;
  std::string in_words(int task) const;
  std::string communication_in_words() const;
  void add_span(int task, Instant start, Instant moving, Instant end);

  const Program& program_;
  const Role& role_;
  Rank rank_;
  RankWork& work_;
  CommunicationBackend* backend_;
  Workplace& place_;
  const InstructionTable table_;
  const TaskList list_;
  Fences fences_;
  const ReceiveTimes receive_times_;
  std::vector<bool> is_compute_;  // per lane

  bool may_keep_ = false;  // this plan's steps
  std::int64_t launches_ = 0;
  StepKind last_kind_, kept_kind_;
  std::set<std::byte*> given_;  // a device's memory between steps
  bool holds_memory_ = false;   // during a step
  int doing_ = -1;              // task
  std::vector<Flying> flying_;
  std::vector<Timed> timed_;
  std::map<int, Times> host_times_;  // of communication while a recorder tells of the device
  std::size_t compute_lane_ = 0;
  WalkedStep walked_;  // the step that spans are added to
  std::vector<Mark> marks_;
  Launched launched_ = Launched::piece_by_piece;
  std::uint64_t steps_ = 0;  // queued
  Clock::time_point origin_;
  std::deque<Queued> queued_;
};

}  // namespace quintet::engine
