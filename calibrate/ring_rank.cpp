#include "calibrate/ring_rank.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <sstream>
#include <thread>
#include <vector>

#include "calibrate/busy_cores.h"
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
constexpr Seconds comparison{0.5};  // how long computing is watched without messages

Error error_of(const engine::Failure& failure) {
  return {"timing messages", failure.text()};
}

class Rings {
 public:
  Rings(const RingRank& self, engine::RankGroup& group) : self_(self), group_(group) {}

  Result<RingTimings> run() {
    const Result<Seconds> idle_work = idle_share();
    if (!idle_work) return idle_work.error();
    idle_share_ = idle_work->value;
    const Result<RingPair> idle = pair();
    if (!idle) return idle.error();
    // As many threads as keep every core busy, however few the ranks.
    busy_.emplace((cores() + self_.ranks - 1) / self_.ranks);
    const Result<RingPair> crowded = pair();
    if (!crowded) return crowded.error();
    return RingTimings{*idle, *crowded};
  }

 private:
  static int cores() { return static_cast<int>(std::thread::hardware_concurrency()); }

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

  Result<RingPair> pair() {
    const Result<RingTiming> large = timed(large_elements);
    if (!large) return large.error();
    const Result<RingTiming> small = timed(small_elements);
    if (!small) return small.error();
    return RingPair{*large, *small};
  }

  std::optional<Error> all_reduce(std::size_t elements, Algorithm algorithm,
                                  engine::Reduction reduction = engine::Reduction::max) {
    buffer_.resize(std::max(buffer_.size(), elements));
    const std::span<float> part(buffer_.data(), elements);
    Result<engine::Operation> operation = group_.start({.algorithm = algorithm,
                                                        .reduction = reduction,
                                                        .buffer = std::as_writable_bytes(part),
                                                        .within = patience});
    if (!operation) return operation.error();
    if (const auto failure = operation->wait()) return error_of(*failure);
    return std::nullopt;
  }

  // Of what the ranks say: the largest, or the sum.
  Result<double> agreed(double value, engine::Reduction reduction = engine::Reduction::max) {
    buffer_.assign(std::max<std::size_t>(buffer_.size(), 1), static_cast<float>(value));
    if (const auto error = all_reduce(1, Algorithm::direct, reduction)) return *error;
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

  // Products of all ranks per second, while this one does `work`.
  template <class Work>
  Result<double> products_beside(Work work) {
    if (const Result<double> ready = agreed(0); !ready) return ready.error();
    const std::int64_t before = busy_->products();
    const Clock::time_point from = Clock::now();
    if (const std::optional<Error> error = work()) return *error;
    const double passed = std::chrono::duration<double>(Clock::now() - from).count();
    return agreed(static_cast<double>(busy_->products() - before) / passed, engine::Reduction::sum);
  }

  // The core time by which all ranks' products became fewer. What they are without messages is seen
  // each time anew: machines change their speed.
  Result<RingTiming> repeated_beside_computing(std::size_t elements, int count) {
    const Result<double> alone = products_beside([]() -> std::optional<Error> {
      std::this_thread::sleep_for(std::chrono::duration<double>(comparison.value));
      return std::nullopt;
    });
    if (!alone) return alone.error();
    std::optional<Result<RingTiming>> rings;
    const Result<double> beside = products_beside([&]() -> std::optional<Error> {
      rings = repeated(elements, count);
      if (!*rings) return rings->error();
      return std::nullopt;
    });
    if (!beside) return beside.error();
    RingTiming timing = **rings;
    const double lost = 1 - *beside / *alone;
    timing.core_time = std::max(Seconds{}, timing.time * (cores() * lost));
    return timing;
  }

  Result<RingTiming> timed(std::size_t elements) {
    if (const auto error = all_reduce(elements, Algorithm::ring)) return *error;
    const Result<RingTiming> trial = repeated(elements, 3);
    if (!trial) return trial;
    const Result<double> count = agreed(std::clamp(3 * (aim / trial->time), 3.0, 20000.0));
    if (!count) return count.error();
    std::vector<RingTiming> timings;
    for (int number = 0; number < repeats; ++number) {
      const int rings = static_cast<int>(*count);
      const Result<RingTiming> timing =
          !busy_ ? repeated(elements, rings) : repeated_beside_computing(elements, rings);
      if (!timing) return timing;
      timings.push_back(*timing);
    }
    return cheapest(timings);
  }

  // What others do meanwhile only ever adds to what rings take; what computing lost it may lower as
  // well, so that the one in the middle counts.
  RingTiming cheapest(const std::vector<RingTiming>& timings) const {
    std::vector<Seconds> times, core_times;
    for (const RingTiming& each : timings) {
      times.push_back(each.time);
      core_times.push_back(each.core_time);
    }
    std::sort(core_times.begin(), core_times.end());
    RingTiming best = timings.front();
    best.time = *std::min_element(times.begin(), times.end());
    best.core_time = core_times[!busy_ ? 0 : core_times.size() / 2];
    return best;
  }

  const RingRank& self_;
  engine::RankGroup& group_;
  std::vector<float> buffer_;
  double idle_share_ = 0;
  std::optional<BusyCores> busy_;  // that compute meanwhile
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
  for (const RingTiming& each :
       {timings.idle.large, timings.idle.small, timings.crowded.large, timings.crowded.small})
    line << each.ranks << ' ' << each.size.value << ' ' << each.count << ' ' << each.time.value
         << ' ' << each.core_time.value << ' ';
  return line.str();
}

Result<RingTimings> parse_timings(const std::string& line) {
  std::istringstream words(line);
  RingTimings timings;
  for (RingTiming* const each :
       {&timings.idle.large, &timings.idle.small, &timings.crowded.large, &timings.crowded.small})
    words >> each->ranks >> each->size.value >> each->count >> each->time.value >>
        each->core_time.value;
  if (!words) return Error{"timing messages", "rank 0 says \"" + line + "\", expected 20 numbers"};
  return timings;
}

}  // namespace quintet::calibrate
