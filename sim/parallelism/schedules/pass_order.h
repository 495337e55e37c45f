// What several schedules are made of.
#pragma once

#include "sim/parallelism/schedules/schedule.h"

namespace quintet {

// Warm-up forwards, then forward and backward in turn, then the backwards left. `number` counts the
// passes of one direction on this stage from 0.
template <class Forward, class Backward>
PassOrder one_forward_one_backward(int passes, int warm_up, Forward forward, Backward backward) {
  PassOrder order;
  for (int number = 0; number < warm_up; ++number) order.push_back(forward(number));
  for (int number = warm_up; number < passes; ++number) {
    order.push_back(forward(number));
    order.push_back(backward(number - warm_up));
  }
  for (int number = passes - warm_up; number < passes; ++number) order.push_back(backward(number));
  return order;
}

// The same with one chunk per stage; a warm-up beyond the micro-batches ends with them.
PassOrder one_forward_one_backward(int micro_batches, int warm_up);

// Every backward as B and W; W waits until `put_off` later ones have had their B, at most to the
// end of the step.
PassOrder with_split_backward(const PassOrder& order, int put_off = 0);

}  // namespace quintet
