#include "calibrate/ranks/gpu_timer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>

namespace quintet::calibrate {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::microseconds nap{20};
constexpr std::chrono::milliseconds look_every{2};
constexpr std::chrono::seconds patience{120};
constexpr int most_holding = 300;  // a stream holds about a thousand pieces of work

}  // namespace

GpuTimer::GpuTimer(kernels::Device& device, const engine::Peers& peers, std::size_t hold_bytes)
    : device_(device),
      peers_(peers),
      moving_(device.make_stream()),
      computing_(device.make_stream()),
      events_(device, kernels::EventTimes::kept),
      held_(device, hold_bytes) {}

GpuTimer::~GpuTimer() {
  device_.destroy(moving_);
  device_.destroy(computing_);
}

double GpuTimer::seconds(kernels::StreamEvent from, kernels::StreamEvent to) {
  const double seconds = device_.seconds_between(from, to);
  events_.give_back(from);
  events_.give_back(to);
  return seconds;
}

std::optional<Error> GpuTimer::wait(kernels::StreamEvent event, engine::NcclGroup* group) {
  const Clock::time_point begun = Clock::now();
  for (Clock::time_point looked = begun; !device_.has_happened(event);) {
    std::this_thread::sleep_for(nap);
    const Clock::time_point now = Clock::now();
    if (now - looked < look_every) continue;
    looked = now;
    if (group != nullptr)
      if (auto wrong = group->look()) return wrong;
    if (auto failure = peers_.failure()) return failure;
    if (now - begun > patience)
      return Error{"GPU",
                   fmt::format("what it was asked for was not over within {} s", patience.count())};
  }
  return std::nullopt;
}

std::optional<Error> GpuTimer::wait_for_all(const kernels::Stream& stream,
                                            engine::NcclGroup* group) {
  const kernels::StreamEvent end = events_.record(stream);
  auto wrong = wait(end, group);
  events_.give_back(end);
  return wrong;
}

void GpuTimer::clear(int times) {
  for (int time = 0; time < times; ++time) device_.zero(held_.at(), held_.bytes(), moving_);
}

void GpuTimer::hold(int calls) {
  if (held_seconds_ == 0) {
    constexpr int some = 4;
    clear(1);
    const kernels::StreamEvent from = mark(moving_);
    clear(some);
    const kernels::StreamEvent to = mark(moving_);
    device_.synchronise(moving_);
    held_seconds_ = std::max(seconds(from, to) / some, 1e-9);
  }
  constexpr double longer = 1.5;
  const double times = longer * queueing_ * (calls + 2) / held_seconds_;
  clear(static_cast<int>(std::clamp(std::ceil(times), 1.0, double{most_holding})));
}

std::optional<Error> GpuTimer::queue(int count, const std::function<std::optional<Error>()>& all) {
  const Clock::time_point begun = Clock::now();
  auto wrong = all();
  queueing_ = std::chrono::duration<double>(Clock::now() - begun).count() / count;
  return wrong;
}

}  // namespace quintet::calibrate
