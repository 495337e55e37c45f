#include "sim/parallelism/schedules/pass_order.h"

#include <algorithm>
#include <cstddef>
#include <deque>

namespace quintet {

PassOrder one_forward_one_backward(int micro_batches, int warm_up) {
  return one_forward_one_backward(
      micro_batches, std::min(warm_up, micro_batches),
      [](int number) {
        return Pass{PassKind::forward, number, 0};
      },
      [](int number) {
        return Pass{PassKind::backward, number, 0};
      });
}

PassOrder with_split_backward(const PassOrder& order, int put_off) {
  PassOrder split;
  std::deque<Pass> owed;
  const auto pay_down_to = [&](std::size_t left) {
    for (; owed.size() > left; owed.pop_front()) split.push_back(owed.front());
  };
  for (const Pass& pass : order) {
    if (pass.kind != PassKind::backward) {
      split.push_back(pass);
      continue;
    }
    split.push_back({PassKind::input_gradient, pass.micro_batch, pass.chunk});
    owed.push_back({PassKind::weight_gradient, pass.micro_batch, pass.chunk});
    pay_down_to(static_cast<std::size_t>(put_off));
  }
  pay_down_to(0);
  return split;
}

}  // namespace quintet
