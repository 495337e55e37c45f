// A body of a program with its times: how long its instructions take from a common start to the
// last one's end on lanes that have nothing else to do, by the rules of sim/program/program.h and
// of the walk (kernels that communication beside them slows, and the other way round). A call's
// iterations wait for one another on all lanes, so that this is what each of them takes.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/analytic/priced_move.h"
#include "sim/cost/kernel_time.h"
#include "sim/cost/overlap_time.h"

namespace quintet {

struct TimedInstruction {
  bool computes = true;  // else it communicates, on the body's one lane for that
  KernelUse use;         // of one that computes, with the gaps between its kernels
  ComputeClass work = ComputeClass::product;
  PricedMove move;   // of one that communicates
  double issue = 0;  // s of the CPU to launch it
  std::vector<int> after;
  bool operator==(const TimedInstruction&) const = default;
};

// Of a body beside some communication that goes on all the while.
struct BodyTime {
  double time = 0;                                    // s
  double computes = 0;                                // of these a kernel runs
  double computes_alone = 0;                          // s of kernels alone
  double exposed() const { return time - computes; }  // of these only communication does
};

class TimedBody {
 public:
  TimedBody() = default;
  TimedBody(std::vector<TimedInstruction> instructions, const CostTable& costs);

  // Remembered for each kind of company.
  BodyTime beside(const CommunicationBeside& company) const;
  // The same where what moves elsewhere leaves its communication less of the links: a factor >= 1
  // on the time of bytes.
  BodyTime beside(const CommunicationBeside& company, double slower) const;
  // Its largest communication that loads links; null: none does. s that bytes of all take alone.
  const PricedMove* move() const {
    return move_ < 0 ? nullptr : &instructions_[static_cast<std::size_t>(move_)].move;
  }
  double moving() const { return moving_; }
  const BodyTime& alone() const { return alone_; }
  // What it takes at least, whatever else goes on: kernels alone and nothing slowed, links empty;
  // and where communication took no time at all.
  double least() const { return least_; }
  double kernels() const { return alone_.computes_alone; }
  double issue() const { return issue_; }              // s of the CPU for all instructions
  double first_issue() const { return first_issue_; }  // for the first
  double last() const { return last_; }                // s of the last instruction
  // What a kernel of its first class does to communication that starts beside it: a factor >= 1 on
  // the time of bytes.
  double slows(const PricedMove& move) const;
  // Of one cost table.
  bool operator==(const TimedBody& other) const { return instructions_ == other.instructions_; }
  bool empty() const { return instructions_.empty(); }
  const std::vector<TimedInstruction>& instructions() const { return instructions_; }

 private:
  BodyTime timed(const CommunicationBeside& company, double slower) const;

  std::vector<TimedInstruction> instructions_;
  const CostTable* costs_ = nullptr;
  BodyTime alone_;
  double least_ = 0;
  int move_ = -1;  // instruction
  double moving_ = 0;
  double issue_ = 0, first_issue_ = 0, last_ = 0;
  struct Known {
    CommunicationBeside company;
    double slower = 1;
    BodyTime time;
  };
  mutable std::vector<Known> known_;
};

}  // namespace quintet
