// Physical quantities as types: only operations that make sense compile.
// Values are doubles in base units: bytes, seconds, FLOP, watts, joules, US dollars. GB = 1e9 B,
// GiB = 2^30 B. Event time is the integer Instant (picoseconds; int64 lasts 106 days): what would
// lie later lies at end_of_time, so a clock that reads end_of_time has run over and nothing wraps
// round.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>

namespace quintet {

template <class Tag>
struct Quantity {
  double value = 0.0;

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity other) { return value += other.value, *this; }
  constexpr Quantity& operator-=(Quantity other) { return value -= other.value, *this; }
  constexpr Quantity operator-() const { return {-value}; }
  constexpr Quantity operator+(Quantity other) const { return {value + other.value}; }
  constexpr Quantity operator-(Quantity other) const { return {value - other.value}; }
  constexpr Quantity operator*(double factor) const { return {value * factor}; }
  constexpr Quantity operator/(double divisor) const { return {value / divisor}; }
  constexpr double operator/(Quantity other) const { return value / other.value; }
};

template <class Tag>
constexpr Quantity<Tag> operator*(double factor, Quantity<Tag> quantity) {
  return quantity * factor;
}

using Bytes = Quantity<struct BytesTag>;          // doubles hold whole bytes exactly up to 9 PB
using Seconds = Quantity<struct SecondsTag>;      // a duration
using Flops = Quantity<struct FlopsTag>;          // a number of floating-point operations
using Bandwidth = Quantity<struct BandwidthTag>;  // bytes per second
using FlopRate = Quantity<struct FlopRateTag>;    // floating-point operations per second
using Watts = Quantity<struct WattsTag>;
using Joules = Quantity<struct JoulesTag>;
using Dollars = Quantity<struct DollarsTag>;
using DollarsPerHour = Quantity<struct DollarsPerHourTag>;

constexpr Seconds operator/(Bytes size, Bandwidth rate) {
  return {size.value / rate.value};
}
constexpr Bandwidth operator/(Bytes size, Seconds time) {
  return {size.value / time.value};
}
constexpr Bytes operator*(Bandwidth rate, Seconds time) {
  return {rate.value * time.value};
}
constexpr Seconds operator/(Flops work, FlopRate rate) {
  return {work.value / rate.value};
}
constexpr FlopRate operator/(Flops work, Seconds time) {
  return {work.value / time.value};
}
constexpr Joules operator*(Watts power, Seconds time) {
  return {power.value * time.value};
}
constexpr Dollars operator*(DollarsPerHour price, Seconds time) {
  return {price.value * time.value / 3600.0};
}

// A point on the simulation's or the engine's clock, in picoseconds since the step began.
struct Instant {
  std::int64_t picoseconds = 0;

  constexpr auto operator<=>(const Instant&) const = default;
};

constexpr Instant end_of_time{std::numeric_limits<std::int64_t>::max()};

// The sum, or the least or greatest integer where it lies beyond that.
constexpr std::int64_t saturating_sum(std::int64_t left, std::int64_t right) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(left, right, &sum)) return sum;
  using Limits = std::numeric_limits<std::int64_t>;
  return right < 0 ? Limits::min() : Limits::max();
}

// The span between two instants; kept as an integer so that parts sum to the whole exactly.
struct Duration {
  std::int64_t picoseconds = 0;

  constexpr auto operator<=>(const Duration&) const = default;
  constexpr Duration& operator+=(Duration other) { return *this = *this + other; }
  constexpr Duration operator+(Duration other) const {
    return {saturating_sum(picoseconds, other.picoseconds)};
  }
  constexpr Duration operator-(Duration other) const { return {picoseconds - other.picoseconds}; }
};

constexpr Duration operator-(Instant end, Instant start) {
  return {end.picoseconds - start.picoseconds};
}
constexpr Instant operator+(Instant start, Duration span) {
  return {saturating_sum(start.picoseconds, span.picoseconds)};
}
constexpr Seconds seconds(Duration span) {
  return {static_cast<double>(span.picoseconds) * 1e-12};
}
constexpr Seconds seconds(Instant instant) {
  return seconds(instant - Instant{});
}

// Rounded to the nearest picosecond, once, where a duration enters event time. What is longer than
// event time, or no number, lasts until its end.
inline Duration duration(Seconds time) {
  const double picoseconds = time.value * 1e12;
  if (!(picoseconds < 0x1p63)) return end_of_time - Instant{};
  return {static_cast<std::int64_t>(std::llround(picoseconds))};
}
inline Instant operator+(Instant start, Seconds time) {
  return start + duration(time);
}

namespace literals {
// clang-format off
#define QUINTET_LITERAL(suffix, Type, scale)                                                                       \
  constexpr Type operator""_##suffix(long double number) { return {static_cast<double>(number) * (scale)}; }       \
  constexpr Type operator""_##suffix(unsigned long long number) { return {static_cast<double>(number) * (scale)}; }
QUINTET_LITERAL(B, Bytes, 1.0)          QUINTET_LITERAL(KB, Bytes, 1e3)         QUINTET_LITERAL(MB, Bytes, 1e6)
QUINTET_LITERAL(GB, Bytes, 1e9)         QUINTET_LITERAL(KiB, Bytes, 1024.0)     QUINTET_LITERAL(MiB, Bytes, 1048576.0)
QUINTET_LITERAL(GiB, Bytes, 1073741824.0)
QUINTET_LITERAL(s, Seconds, 1.0)        QUINTET_LITERAL(ms, Seconds, 1e-3)      QUINTET_LITERAL(us, Seconds, 1e-6)
QUINTET_LITERAL(ns, Seconds, 1e-9)
QUINTET_LITERAL(Bps, Bandwidth, 1.0)    QUINTET_LITERAL(MBps, Bandwidth, 1e6)   QUINTET_LITERAL(GBps, Bandwidth, 1e9)
QUINTET_LITERAL(Gbps, Bandwidth, 1.25e8)
QUINTET_LITERAL(TFLOPs, FlopRate, 1e12)
QUINTET_LITERAL(W, Watts, 1.0)
#undef QUINTET_LITERAL
// clang-format on
}  // namespace literals

static_assert(literals::operator""_Gbps(200ULL) == literals::operator""_GBps(25ULL));

}  // namespace quintet
