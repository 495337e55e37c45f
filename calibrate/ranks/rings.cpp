#include "calibrate/ranks/rings.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>
#include <vector>

#include "calibrate/machine/others_work.h"
#include "calibrate/machine/work_piece.h"

namespace quintet::calibrate {
namespace {

using engine::Clock;

constexpr engine::Milliseconds patience{60000};
constexpr std::size_t large_elements = 4 << 20;  // 16 MiB: many segments on every link
constexpr std::size_t small_elements = 64;
// Measurements of a kind; the cheapest counts, for what others do meanwhile only ever adds.
constexpr int repeats = 5;

Error error_of(const engine::Failure& failure) {
  return {"timing messages", failure.text()};
}

class Rings {
 public:
  Rings(engine::RankGroup& group, const RingCores& cores, Seconds pace)
      : group_(group), cores_(cores), pace_(pace) {}

  Result<RingTimings> run() {
    const Result<Seconds> idle_work = idle_share();
    if (!idle_work) return idle_work.error();
    idle_share_ = idle_work->value;
    const Result<RingPair> idle = pair();
    if (!idle) return idle.error();
    // As many threads as keep every core busy, however few the ranks.
    busy_.emplace((cores_.here + cores_.ranks_here - 1) / cores_.ranks_here);
    const Result<RingPair> crowded = pair();
    if (!crowded) return crowded.error();
    return RingTimings{*idle, *crowded};
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
    std::this_thread::sleep_for(std::chrono::duration<double>(pace_.value));
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
                                  engine::Reduction reduction = engine::Reduction::maximum) {
    buffer_.resize(std::max(buffer_.size(), elements));
    const std::span<float> part(buffer_.data(), elements);
    Result<engine::Operation> operation = group_.start({.buffer = std::as_writable_bytes(part),
                                                        .reduction = reduction,
                                                        .algorithm = algorithm,
                                                        .within = patience});
    if (!operation) return operation.error();
    if (const auto failure = operation->wait()) return error_of(*failure);
    return std::nullopt;
  }

  // This is the largest of what the ranks say, or the sum.
  Result<double> agreed(double value, engine::Reduction reduction = engine::Reduction::maximum) {
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
    return RingTiming{group_.size(), Bytes{4.0 * static_cast<double>(elements)}, count, time,
                      std::max(worked, Seconds{})};
  }

  // Products of all ranks per second, while this one does `work`.
  template <class Work>
  Result<double> products_beside(Work work) {
    if (const Result<double> ready = agreed(0); !ready) return ready.error();
    const std::int64_t before = busy_->pieces();
    const Clock::time_point from = Clock::now();
    if (const std::optional<Error> error = work()) return *error;
    const double passed = std::chrono::duration<double>(Clock::now() - from).count();
    return agreed(static_cast<double>(busy_->pieces() - before) / passed, engine::Reduction::sum);
  }

  // The core time by which all ranks' products became fewer. What they are without messages is seen
  // each time anew: machines change their speed.
  Result<RingTiming> repeated_beside_computing(std::size_t elements, int count) {
    const Result<double> alone = products_beside([this]() -> std::optional<Error> {
      std::this_thread::sleep_for(std::chrono::duration<double>(0.5 * pace_.value));
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
    timing.core_time = std::max(Seconds{}, timing.time * (cores_.everywhere * lost));
    return timing;
  }

  Result<RingTiming> timed(std::size_t elements) {
    if (const auto error = all_reduce(elements, Algorithm::ring)) return *error;
    const Result<RingTiming> trial = repeated(elements, 3);
    if (!trial) return trial;
    const Result<double> count = agreed(std::clamp(3 * (pace_ / trial->time), 3.0, 20000.0));
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

  engine::RankGroup& group_;
  const RingCores cores_;
  const Seconds pace_;
  std::vector<float> buffer_;
  double idle_share_ = 0;
  std::optional<BusyCores> busy_;  // that compute meanwhile
};

}  // namespace

Result<RingTimings> time_rings(engine::RankGroup& everyone, const RingCores& cores, Seconds pace) {
  return Rings(everyone, cores, pace).run();
}

std::vector<double> numbers_of(const RingTimings& timings) {
  std::vector<double> numbers;
  for (const RingTiming& each :
       {timings.idle.large, timings.idle.small, timings.crowded.large, timings.crowded.small})
    for (const double number : {double(each.ranks), each.size.value, double(each.count),
                                each.time.value, each.core_time.value})
      numbers.push_back(number);
  return numbers;
}

std::optional<RingTimings> rings_of(const std::vector<double>& numbers) {
  constexpr std::size_t each = 5;
  RingTimings timings;
  const std::array<RingTiming*, 4> parts{&timings.idle.large, &timings.idle.small,
                                         &timings.crowded.large, &timings.crowded.small};
  if (numbers.size() != each * parts.size()) return std::nullopt;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const double* const at = &numbers[part * each];
    *parts[part] = {static_cast<int>(at[0]), {at[1]}, static_cast<int>(at[2]), {at[3]}, {at[4]}};
  }
  return timings;
}

}  // namespace quintet::calibrate
