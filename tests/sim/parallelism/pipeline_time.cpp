#include "tests/sim/parallelism/pipeline_time.h"

#include <algorithm>
#include <cassert>
#include <compare>
#include <cstddef>
#include <map>
#include <optional>

#include "sim/parallelism/pipeline_order.h"

namespace quintet::test {

namespace {

enum class Direction { forward, backward };

// What a pass leaves for another: virtual stage = chunk * stages + stage.
struct Outcome {
  Direction direction = Direction::forward;
  int virtual_stage = 0;
  int micro_batch = 0;
  auto operator<=>(const Outcome&) const = default;
};

// What a pass waits for, and how long that is under way.
struct Input {
  Outcome outcome;
  Duration delay;
};

Duration time_of(const PassTimes& times, PassKind kind) {
  switch (kind) {
    case PassKind::forward:
      return duration(times.forward);
    case PassKind::input_gradient:
      return duration(times.input_gradient);
    case PassKind::weight_gradient:
      return duration(times.weight_gradient);
    case PassKind::backward:
      return duration(times.input_gradient) + duration(times.weight_gradient);
  }
  return {};
}

int chunks_in(const std::vector<PassOrder>& orders) {
  int chunks = 1;
  for (const PassOrder& order : orders)
    for (const Pass& pass : order) chunks = std::max(chunks, pass.chunk + 1);
  return chunks;
}

class Replay {
 public:
  Replay(const std::vector<PassOrder>& orders, const PipelineTimes& times)
      : orders_(orders),
        times_(times),
        stages_(static_cast<int>(orders.size())),
        virtual_stages_(stages_ * chunks_in(orders)),
        next_(orders.size(), 0),
        free_(orders.size()),
        pauses_(orders.size()) {}

  Seconds run() {
    bool moved = true;
    while (moved) {
      moved = false;
      for (int stage = 0; stage < stages_; ++stage)
        while (try_next(stage)) moved = true;
    }
    for (std::size_t stage = 0; stage < orders_.size(); ++stage)
      if (next_[stage] < orders_[stage].size()) return Seconds{-1};
    return seconds(*std::max_element(free_.begin(), free_.end()));
  }

  std::vector<Seconds> pauses() const {
    std::vector<Seconds> all;
    for (const Duration pause : pauses_) all.push_back(seconds(pause));
    return all;
  }

 private:
  bool try_next(int stage) {
    const std::size_t row = static_cast<std::size_t>(stage);
    if (next_[row] == orders_[row].size()) return false;
    const Pass& pass = orders_[row][next_[row]];
    Instant start = free_[row];
    if (const std::optional<Input> input = input_of(stage, pass)) {
      const auto found = ends_.find(input->outcome);
      if (found == ends_.end()) return false;
      start = std::max(start, found->second + input->delay);
    }
    if (next_[row] > 0) pauses_[row] += start - free_[row];
    free_[row] = start + time_of(times_.stages[row], pass.kind);
    if (pass.kind != PassKind::weight_gradient) ends_[outcome_of(stage, pass)] = free_[row];
    ++next_[row];
    return true;
  }

  int virtual_stage(int stage, const Pass& pass) const { return pass.chunk * stages_ + stage; }

  Outcome outcome_of(int stage, const Pass& pass) const {
    const Direction direction =
        pass.kind == PassKind::forward ? Direction::forward : Direction::backward;
    return {direction, virtual_stage(stage, pass), pass.micro_batch};
  }

  std::optional<Input> input_of(int stage, const Pass& pass) const {
    const int here = virtual_stage(stage, pass);
    switch (pass.kind) {
      case PassKind::forward:
        if (here == 0) return std::nullopt;
        return Input{{Direction::forward, here - 1, pass.micro_batch}, delay(stage - 1)};
      case PassKind::input_gradient:
      case PassKind::backward:
        if (here + 1 == virtual_stages_)
          return Input{{Direction::forward, here, pass.micro_batch}, {}};
        return Input{{Direction::backward, here + 1, pass.micro_batch}, delay(stage)};
      case PassKind::weight_gradient:
        return Input{{Direction::backward, here, pass.micro_batch}, {}};
    }
    return std::nullopt;
  }

  // Belongs to the link between stage `link` and the next; from the last stage back to the first
  // there is none.
  Duration delay(int link) const {
    if (link < 0 || link + 1 >= stages_) return {};
    return duration(times_.delays[static_cast<std::size_t>(link)]);
  }

  const std::vector<PassOrder>& orders_;
  const PipelineTimes& times_;
  const int stages_;
  const int virtual_stages_;
  std::vector<std::size_t> next_;
  std::vector<Instant> free_;
  std::vector<Duration> pauses_;
  std::map<Outcome, Instant> ends_;
};

}  // namespace

std::vector<PassOrder> pipeline_orders(const Parallelism& parallelism) {
  std::vector<PassOrder> orders;
  for (int stage = 0; stage < parallelism.pipeline; ++stage)
    orders.push_back(pipeline_order(parallelism, stage));
  return orders;
}

int peak_activations(const PassOrder& order) {
  int held = 0, peak = 0;
  for (const Pass& pass : order) {
    switch (pass.kind) {
      case PassKind::forward:
        peak = std::max(peak, ++held);
        break;
      case PassKind::input_gradient:
        break;
      case PassKind::weight_gradient:
      case PassKind::backward:
        --held;
        break;
    }
  }
  return peak;
}

Seconds pipeline_time(const std::vector<PassOrder>& orders, const PipelineTimes& times) {
  assert(!orders.empty() && orders.size() == times.stages.size());
  assert(times.delays.size() + 1 == times.stages.size());
  return Replay(orders, times).run();
}

std::vector<Seconds> stage_pauses(const std::vector<PassOrder>& orders,
                                  const PipelineTimes& times) {
  Replay replay(orders, times);
  return replay.run() < Seconds{} ? std::vector<Seconds>{} : replay.pauses();
}

}  // namespace quintet::test
