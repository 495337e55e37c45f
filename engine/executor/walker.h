// Walks one rank's script: kernels one after another on the calling thread, communication in the
// background; waits only where the program says so. Deadlock-free as far as the program is:
// whatever may start is started before it waits.
#pragma once

#include <map>
#include <vector>

#include "engine/executor/rank_work.h"
#include "engine/executor/task_list.h"
#include "sim/timeline/timeline.h"

namespace quintet::engine {

struct WalkedStep {
  std::vector<Span> spans;
  // What the rank's own thread computed in each span, however many others wanted its core in the
  // meantime. Of communication, which goes on in the background: what it packed before and
  // unpacked after.
  std::vector<Duration> cpu;
};

class Walker {
 public:
  Walker(const Program& program, const Role& role, Rank rank, RankWork& work,
         Communicator& communicator);

  // One step; times since `origin`, `info` counts the program's instructions.
  Result<WalkedStep> walk(Clock::time_point origin);

 private:
  struct Flying {
    int task = 0;
    Ticket ticket;
    Buffer message;  // of sends and receives
    Clock::time_point start;
    Duration cpu;  // of its packing
  };
  using Failure = std::optional<Error>;

  const Instruction& instruction(int task) const;
  const Call& call(int task) const;
  Situation situation(int task) const;
  bool start_communication(TaskProgress& progress);
  bool run_kernel(TaskProgress& progress);
  Failure collect(TaskProgress& progress, Patience patience);
  void launch(int task);
  std::uint64_t tag(Payload payload, int chunk, const Situation& at) const;
  void land(Flying& flying);
  void take_up(TaskProgress& progress, int task);
  void finish(TaskProgress& progress, int task);
  void record(int task, Clock::time_point start, Clock::time_point moving, Clock::time_point end,
              Duration cpu = {});

  const Program& program_;
  const Role& role_;
  Rank rank_;
  RankWork& work_;
  Communicator& communicator_;
  const TaskList list_;
  std::vector<BodyFacts> facts_;
  std::vector<int> first_info_;   // of each body's first instruction
  std::vector<bool> is_compute_;  // per lane

  std::vector<Flying> flying_;
  WalkedStep walked_;
  std::uint64_t steps_ = 0;
  Clock::time_point origin_;
};

}  // namespace quintet::engine
