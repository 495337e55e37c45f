#include "engine/emulated_cluster/delay_line.h"

#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <limits>

namespace quintet::engine {
namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

// The kernel stamps frames by this clock.
std::int64_t now_in_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Wakes on time as far as we may: ordinary threads are woken up to 50 us late, and wait for a core.
void be_punctual() {
  prctl(PR_SET_TIMERSLACK, 1);
  const sched_param first{1};
  sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &first);
}

}  // namespace

Result<std::unique_ptr<DelayLine>> DelayLine::start(std::vector<DelayedWire> wires) {
  std::unique_ptr<DelayLine> line(new DelayLine(std::move(wires)));
  if (!line->news_.open()) return Error{"box", system_error(errno)};
  line->thread_ = std::thread([inside = line.get()] { inside->run(); });
  return line;
}

DelayLine::DelayLine(std::vector<DelayedWire> wires)
    : wires_(std::move(wires)), news_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  for (DelayedWire& wire : wires_)
    for (std::size_t end = 0; end < 2; ++end)
      directions_.push_back(
          {&wire.ends[end], &wire.ends[1 - end], std::llround(wire.delays[end].value * 1e9)});
}

DelayLine::~DelayLine() {
  if (!thread_.joinable()) return;
  ending_ = true;
  wake();
  thread_.join();
}

void DelayLine::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(news_.number(), &one, sizeof one);
}

void DelayLine::set_delay(std::size_t wire, std::size_t end, Seconds delay) {
  std::atomic_ref(directions_[2 * wire + end].delay) = std::llround(delay.value * 1e9);
  wake();
}

// When the next one is due. A clock that was set meanwhile holds nothing up for longer than asked.
std::int64_t DelayLine::move_due(Direction& direction, std::int64_t now) {
  const std::int64_t delay = std::atomic_ref(direction.delay).load();
  while (const std::optional<PacketRing::Frame> frame = direction.from->front()) {
    const std::int64_t due = frame->arrived + delay;
    if (due > now) return std::min(due, now + delay);
    direction.to->send(frame->bytes);
    direction.from->let_go();
  }
  return never;
}

// A ring with frames in it counts as ready, so only empty ones are watched; the others' next frame
// is due at a known time.
void DelayLine::run() {
  be_punctual();
  std::vector<pollfd> watched;
  for (;;) {
    watched.assign(1, {news_.number(), POLLIN, 0});
    std::int64_t next = never;
    for (Direction& direction : directions_) {
      const std::int64_t due = move_due(direction, now_in_nanoseconds());
      if (due == never) watched.push_back({direction.from->descriptor(), POLLIN, 0});
      next = std::min(next, due);
    }
    const std::int64_t left = std::max<std::int64_t>(0, next - now_in_nanoseconds());
    const timespec timeout{left / 1'000'000'000, left % 1'000'000'000};
    ppoll(watched.data(), watched.size(), next == never ? nullptr : &timeout, nullptr);
    if (watched[0].revents == 0) continue;
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t taken = read(news_.number(), &count, sizeof count);
    if (ending_) return;
  }
}

}  // namespace quintet::engine
