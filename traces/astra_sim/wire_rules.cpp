#include "traces/astra_sim/wire_rules.h"

#include <algorithm>

namespace quintet {
namespace {

constexpr std::int64_t longest = end_of_time.picoseconds / 1000;

// In the order in which ASTRA-sim computes it: the last digit decides where fractions are cut off.
double bytes_per_nanosecond(const AstraDimension& dimension) {
  return dimension.gigabytes * (1 << 30) / 1'000'000'000;
}

double serialisation(const AstraDimension& dimension, std::int64_t size) {
  return static_cast<double>(size) / bytes_per_nanosecond(dimension);
}

int clockwise(const AstraDimension& dimension, int from, int to) {
  return to >= from ? to - from : to - from + dimension.ranks;
}

}  // namespace

Duration span_of(std::int64_t nanoseconds) {
  return {std::min(nanoseconds, longest) * 1000};
}

std::int64_t whole_nanoseconds(double nanoseconds) {
  if (!(nanoseconds < static_cast<double>(longest))) return longest;
  return static_cast<std::int64_t>(nanoseconds);
}

WayInDimension way_between(const AstraNetwork& network, int from, int to) {
  for (std::size_t at = 0; at < network.dimensions.size(); ++at) {
    const int ranks = network.dimensions[at].ranks;
    if (from % ranks != to % ranks) return {static_cast<int>(at), from % ranks, to % ranks};
    from /= ranks;
    to /= ranks;
  }
  return {};
}

int hops_between(const AstraDimension& dimension, int from, int to) {
  switch (dimension.shape) {
    case AstraShape::ring: {
      const int there = clockwise(dimension, from, to);
      return std::min(there, dimension.ranks - there);
    }
    case AstraShape::fully_connected:
      return 1;
    case AstraShape::star:
      return 2;
  }
  return 1;
}

std::int64_t unaware_nanoseconds(const AstraNetwork& network, int from, int to, std::int64_t size) {
  const WayInDimension way = way_between(network, from, to);
  const AstraDimension& dimension = network.dimensions[static_cast<std::size_t>(way.dimension)];
  const double links = hops_between(dimension, way.from, way.to) * dimension.nanoseconds;
  return whole_nanoseconds(links + serialisation(dimension, size));
}

std::int64_t wire_nanoseconds(const AstraDimension& dimension, std::int64_t size) {
  return whole_nanoseconds(serialisation(dimension, size));
}

std::int64_t hop_nanoseconds(const AstraDimension& dimension, std::int64_t size) {
  return whole_nanoseconds(dimension.nanoseconds + serialisation(dimension, size));
}

int next_on_way(const AstraDimension& dimension, int at, int to) {
  switch (dimension.shape) {
    case AstraShape::ring: {
      const int there = clockwise(dimension, at, to);
      const int step = dimension.ranks - there < there ? dimension.ranks - 1 : 1;
      return (at + step) % dimension.ranks;
    }
    case AstraShape::fully_connected:
      return to;
    case AstraShape::star:
      return at == dimension.ranks ? to : dimension.ranks;
  }
  return to;
}

}  // namespace quintet
