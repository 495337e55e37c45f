#include "sim/simulate/walk/head_of_line.h"

#include "sim/plan/delivery.h"

namespace quintet {

namespace {

bool by_kernels(const HostNet& host_net, const Send& send) {
  const Delivery delivery = send.axis == Axis::pipeline
                                ? host_net.pipeline_delivery.value_or(host_net.delivery)
                                : host_net.delivery;
  return send.memory == Memory::device && row_of(delivery).driver == Driver::kernels;
}

}  // namespace

bool holds_launches(const HostNet& host_net, const Send& send) {
  return host_net.head_of_line != HeadOfLine::none && by_kernels(host_net, send);
}

bool takes_turns(const HostNet& host_net, const Send& send) {
  return host_net.head_of_line == HeadOfLine::neighbours && by_kernels(host_net, send);
}

void Turns::take(std::int32_t one, std::int32_t other, std::function<void()> begin) {
  Queue& queue = queues_[pair_of(one, other)];
  if (queue.taken) return queue.waiting.push_back(std::move(begin));
  queue.taken = true;
  begin();
}

void Turns::over(std::int32_t one, std::int32_t other) {
  Queue& queue = queues_[pair_of(one, other)];
  if (queue.waiting.empty()) {
    queue.taken = false;
    return;
  }
  const std::function<void()> next = std::move(queue.waiting.front());
  queue.waiting.pop_front();
  next();
}

}  // namespace quintet
