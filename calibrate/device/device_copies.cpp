#include "calibrate/device/device_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "sim/base/quantile.h"
#include "sim/base/text_table.h"

namespace quintet::calibrate {
namespace {

struct Copying {
  void* to;
  const void* from;
  std::size_t bytes;
  int count;
};

void queue(kernels::Device& device, const kernels::Stream& stream, const Copying& copying) {
  for (int copy = 0; copy < copying.count; ++copy)
    device.copy(copying.to, copying.from, copying.bytes, stream);
}

// This is the time of all copies together, as the device saw it.
Seconds time_on_device(kernels::Device& device, const kernels::Stream& stream,
                       const Copying& copying) {
  const HeldEvent begin(device), end(device);
  device.record(*begin, stream);
  queue(device, stream, copying);
  device.record(*end, stream);
  device.synchronise(stream);
  return Seconds{device.seconds_between(*begin, *end)};
}

Seconds time_on_host(kernels::Device& device, const kernels::Stream& stream,
                     const Copying& copying) {
  return host_time([&] {
    queue(device, stream, copying);
    device.synchronise(stream);
  });
}

int count_of(std::size_t bytes, const CopySweep& sweep) {
  constexpr std::size_t most = 64;
  return static_cast<int>(std::clamp<std::size_t>(sweep.together / bytes, 1, most));
}

// What measuring one size takes: nothing where there is no memory for it.
std::optional<Seconds> copy_time(kernels::Device& device, MemoryKind from, MemoryKind to,
                                 std::size_t bytes, const CopySweep& sweep) {
  const HeldMemory source(device, from, bytes), target(device, to, bytes);
  if (source.at() == nullptr || target.at() == nullptr) return std::nullopt;
  HeldStream stream(device);
  const Copying copying{target.at(), source.at(), bytes, count_of(bytes, sweep)};
  const bool waits = from == MemoryKind::pageable || to == MemoryKind::pageable;
  const auto timed = waits ? &time_on_host : &time_on_device;
  timed(device, *stream, copying);  // the first finds nothing made
  std::vector<Seconds> times(static_cast<std::size_t>(sweep.repeats));
  for (Seconds& time : times) time = timed(device, *stream, copying);
  return lower_median(std::move(times)) / static_cast<double>(copying.count);
}

struct BothWays {
  Seconds to_device, from_device;
};

// Both begin at one place in time, each on its own stream.
BothWays time_both(kernels::Device& device, const Copying& to_device, const Copying& from_device) {
  HeldStream there(device), back(device);
  const HeldEvent begin(device), end_there(device), end_back(device);
  device.record(*begin, *there);
  device.wait(*back, *begin);
  queue(device, *there, to_device);
  queue(device, *back, from_device);
  device.record(*end_there, *there);
  device.record(*end_back, *back);
  device.synchronise(*there);
  device.synchronise(*back);
  return {Seconds{device.seconds_between(*begin, *end_there)},
          Seconds{device.seconds_between(*begin, *end_back)}};
}

// One way, with what it is called and where its rate goes.
struct Way {
  const char* name;
  MemoryKind from, to;
  Bandwidth CopyCosts::*rate;
};
constexpr MemoryKind device_memory = MemoryKind::device;
constexpr Way ways[] = {
    {"host to device", MemoryKind::pinned, device_memory, &CopyCosts::host_to_device},
    {"device to host", device_memory, MemoryKind::pinned, &CopyCosts::device_to_host},
    {"device to device", device_memory, device_memory, &CopyCosts::device_to_device},
    {"pageable to device", MemoryKind::pageable, device_memory, &CopyCosts::pageable_to_device},
    {"device to pageable", device_memory, MemoryKind::pageable, &CopyCosts::device_to_pageable},
};

bool is_pageable(const Way& way) {
  return way.from == MemoryKind::pageable || way.to == MemoryKind::pageable;
}

}  // namespace

CopySweep usual_copies() {
  CopySweep sweep;
  constexpr std::size_t least = 4096, most = std::size_t{1} << 28;
  for (std::size_t size = least; size <= most; size *= 4) sweep.sizes.push_back(size);
  return sweep;
}

std::vector<CopyTime> copy_times(kernels::Device& device, MemoryKind from, MemoryKind to,
                                 const CopySweep& sweep) {
  std::vector<CopyTime> times;
  for (const std::size_t size : sweep.sizes)
    if (const auto time = copy_time(device, from, to, size, sweep))
      times.push_back({Bytes{static_cast<double>(size)}, *time});
  return times;
}

double both_ways_factor(kernels::Device& device, const CopySweep& sweep) {
  const std::size_t bytes = *std::max_element(sweep.sizes.begin(), sweep.sizes.end());
  const HeldMemory out(device, MemoryKind::pinned, bytes), in(device, MemoryKind::pinned, bytes);
  const HeldMemory first(device, device_memory, bytes), second(device, device_memory, bytes);
  if (out.at() == nullptr || in.at() == nullptr || first.at() == nullptr || second.at() == nullptr)
    return 1;
  const int count = std::max(2, count_of(bytes, sweep));
  const Copying there{first.at(), out.at(), bytes, count}, back{in.at(), second.at(), bytes, count};
  HeldStream alone(device);
  std::vector<double> factors;
  for (int repeat = 0; repeat <= sweep.repeats; ++repeat) {
    const Seconds to_device = time_on_device(device, *alone, there);
    const Seconds from_device = time_on_device(device, *alone, back);
    const BothWays both = time_both(device, there, back);
    if (repeat > 0 && to_device > Seconds{} && from_device > Seconds{})
      factors.push_back((both.to_device / to_device + both.from_device / from_device) / 2);
  }
  if (factors.empty()) return 1;
  std::sort(factors.begin(), factors.end());
  return std::max(1.0, factors[(factors.size() - 1) / 2]);
}

MeasuredCopies measured_copies(kernels::Device& device, const CopySweep& sweep) {
  MeasuredCopies made;
  std::vector<Seconds> starts;
  std::string held_out;
  for (const Way& way : ways) {
    const auto line = copy_line(copy_times(device, way.from, way.to, sweep));
    if (!line) {
      made.not_measured.push_back(std::string("copies ") + way.name);
      continue;
    }
    made.costs.*way.rate = line->rate;
    if (!is_pageable(way)) starts.push_back(line->start);
    held_out +=
        (held_out.empty() ? "" : ", ") + std::string(way.name) + " " + percent(line->held_out);
  }
  if (!starts.empty()) made.costs.start = lower_median(starts);
  made.costs.both_ways = both_ways_factor(device, sweep);
  made.costs.source =
      fmt::format("copies of {} sizes; median error of sizes left out: {}", sweep.sizes.size(),
                  held_out.empty() ? "none was measured" : held_out);
  return made;
}

}  // namespace quintet::calibrate
