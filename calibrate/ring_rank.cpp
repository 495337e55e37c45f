#include "calibrate/ring_rank.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <sstream>
#include <thread>
#include <vector>

#include "calibrate/machine_time.h"
#include "engine/collectives/rank_group.h"
#include "engine/launch/rendezvous_server.h"

namespace quintet::calibrate {
namespace {

using engine::Clock;

constexpr engine::Milliseconds patience{60000};
constexpr std::size_t large_elements = 4 << 20;  // 16 MiB: many segments on every link
constexpr std::size_t small_elements = 64;
constexpr Seconds aim{1};  // a measurement takes about so long: core times come in ticks of 10 ms
// Measurements of a kind; the cheapest counts, for what others do meanwhile only ever adds.
constexpr int repeats = 5;

Error error_of(const engine::Failure& failure) {
  return {"timing messages", failure.text()};
}

class Rings {
 public:
  Rings(const RingRank& self, engine::RankGroup& group) : self_(self), group_(group) {}

  Result<RingTimings> run() {
    const Result<Seconds> idle = idle_share();
    if (!idle) return idle.error();
    idle_share_ = idle->value;
    const Result<RingTiming> large = timed(large_elements);
    if (!large) return large.error();
    const Result<RingTiming> small = timed(small_elements);
    if (!small) return small.error();
    const Result<RingTiming> crowded = timed_beside_computing();
    if (!crowded) return crowded.error();
    return RingTimings{*large, *small, *crowded};
  }

 private:
  struct Sample {
    Clock::time_point time;
    Seconds worked;
  };

  static Result<Sample> now() {
    const Result<Seconds> worked = machine_work();
    if (!worked) return worked.error();
    return Sample{Clock::now(), *worked};
  }
  static Seconds between(const Sample& from, const Sample& to) {
    return {std::chrono::duration<double>(to.time - from.time).count()};
  }

  // Core time that the idle machine takes per second.
  Result<Seconds> idle_share() {
    if (const auto error = all_reduce(small_elements, Algorithm::ring)) return *error;
    const Result<Sample> from = now();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const Result<Sample> to = now();
    if (!from || !to) return from ? to.error() : from.error();
    return Seconds{(to->worked - from->worked) / between(*from, *to)};
  }

  std::optional<Error> all_reduce(std::size_t elements, Algorithm algorithm) {
    buffer_.resize(std::max(buffer_.size(), elements));
    const std::span<float> part(buffer_.data(), elements);
    Result<engine::Operation> operation = group_.start({.algorithm = algorithm,
                                                        .reduction = engine::Reduction::max,
                                                        .buffer = std::as_writable_bytes(part),
                                                        .within = patience});
    if (!operation) return operation.error();
    if (const auto failure = operation->wait()) return error_of(*failure);
    return std::nullopt;
  }

  // The largest of what the ranks say.
  Result<double> agreed(double value) {
    buffer_.assign(std::max<std::size_t>(buffer_.size(), 1), static_cast<float>(value));
    if (const auto error = all_reduce(1, Algorithm::direct)) return *error;
    return static_cast<double>(buffer_.front());
  }

  Result<RingTiming> repeated(std::size_t elements, int count) {
    if (const Result<double> ready = agreed(0); !ready) return ready.error();
    const Result<Sample> from = now();
    for (int number = 0; number < count; ++number)
      if (const auto error = all_reduce(elements, Algorithm::ring)) return *error;
    if (const Result<double> over = agreed(0); !over) return over.error();
    const Result<Sample> to = now();
    if (!from || !to) return from ? to.error() : from.error();
    const Seconds time = between(*from, *to);
    const Seconds worked = to->worked - from->worked - idle_share_ * time;
    return RingTiming{self_.ranks, Bytes{4.0 * static_cast<double>(elements)}, count, time,
                      std::max(worked, Seconds{})};
  }

  // A thread of each rank computes meanwhile, as the ranks of a training job do.
  Result<RingTiming> timed_beside_computing() {
    std::atomic<bool> over = false;
    std::thread computing([&over] {
      for (volatile double value = 1; !over;)
        for (int number = 0; number < 1000; ++number) value = value * 1.0000001;
    });
    Result<RingTiming> timing = timed(small_elements);
    over = true;
    computing.join();
    return timing;
  }

  Result<RingTiming> timed(std::size_t elements) {
    if (const auto error = all_reduce(elements, Algorithm::ring)) return *error;
    const Result<RingTiming> trial = repeated(elements, 3);
    if (!trial) return trial;
    const Result<double> count = agreed(std::clamp(3 * (aim / trial->time), 3.0, 20000.0));
    if (!count) return count.error();
    std::optional<RingTiming> best;
    for (int number = 0; number < repeats; ++number) {
      const Result<RingTiming> timing = repeated(elements, static_cast<int>(*count));
      if (!timing) return timing;
      if (!best) best = *timing;
      best->time = std::min(best->time, timing->time);
      best->core_time = std::min(best->core_time, timing->core_time);
    }
    return *best;
  }

  const RingRank& self_;
  engine::RankGroup& group_;
  std::vector<float> buffer_;
  double idle_share_ = 0;
};

engine::TransportOptions transport_options(const RingRank& self) {
  engine::TransportOptions options;
  options.ucx = {self.interface, engine::SharedMemory::refuse};
  options.join.server = self.server;
  options.join.token = self.token;
  options.join.rank = Rank{self.rank};
  options.join.world = self.ranks;
  return options;
}

}  // namespace

Result<RingTimings> time_rings(const RingRank& rank) {
  std::unique_ptr<engine::RendezvousServer> server;
  if (rank.rank == 0) {
    engine::RendezvousOptions options;
    options.address = rank.server;
    options.token = rank.token;
    options.world = rank.ranks;
    auto started = engine::RendezvousServer::start(options);
    if (!started) return started.error();
    server = *std::move(started);
  }
  const auto transport = engine::Transport::join(transport_options(rank));
  if (!transport) return transport.error();
  engine::GroupOptions everyone;
  everyone.name = "everyone";
  for (int other = 0; other < rank.ranks; ++other) everyone.members.push_back(Rank{other});
  const auto group = engine::RankGroup::make(**transport, everyone);
  if (!group) return group.error();
  Result<RingTimings> timings = Rings(rank, **group).run();
  const auto failure = (*transport)->close(patience);
  if (timings && failure) return error_of(*failure);
  return timings;
}

std::string line_of(const RingTimings& timings) {
  std::ostringstream line;
  line.precision(17);
  for (const RingTiming& each : {timings.large, timings.small, timings.crowded})
    line << each.ranks << ' ' << each.size.value << ' ' << each.count << ' ' << each.time.value
         << ' ' << each.core_time.value << ' ';
  return line.str();
}

Result<RingTimings> parse_timings(const std::string& line) {
  std::istringstream words(line);
  RingTimings timings;
  for (RingTiming* const each : {&timings.large, &timings.small, &timings.crowded})
    words >> each->ranks >> each->size.value >> each->count >> each->time.value >>
        each->core_time.value;
  if (!words) return Error{"timing messages", "rank 0 says \"" + line + "\", expected 15 numbers"};
  return timings;
}

}  // namespace quintet::calibrate
