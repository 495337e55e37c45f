#include <cassert>
#include <cstddef>

#include "sim/ccl/schedule.h"

namespace quintet {

namespace {

int wrap(int value, int size) {
  return (value % size + size) % size;
}

// One level's place in the mixed-radix number that a rank (and its chunk) is.
struct Digit {
  int stride = 1;  // product of the sizes inside
  int size = 1;
  int of(int number) const { return number / stride % size; }
  int replaced(int number, int digit) const { return number + (digit - of(number)) * stride; }
};

std::vector<Digit> digits_of(const GroupLevels& levels) {
  std::vector<Digit> digits;
  int stride = 1;
  for (const int size : levels.sizes) {
    assert(size >= 1);
    digits.push_back({stride, size});
    stride *= size;
  }
  return digits;
}

// Sends, from `rank` to its neighbour along `level`, all chunks that agree with the rank on the
// levels inside and have `digit` on this one.
void send_digit(Schedule& schedule, const Digit& level, int rank, int digit, Effect effect) {
  const int to = level.replaced(rank, wrap(level.of(rank) + 1, level.size));
  const int inside = rank % level.stride;
  const int outer = level.stride * level.size;
  for (int chunk = inside + digit * level.stride; chunk < schedule.chunks; chunk += outer)
    schedule.transfers.push_back({schedule.steps, rank, to, chunk, effect});
}

void scatter_along(Schedule& schedule, const Digit& level) {
  for (int step = 0; step < level.size - 1; ++step, ++schedule.steps)
    for (int rank = 0; rank < schedule.ranks; ++rank)
      send_digit(schedule, level, rank, wrap(level.of(rank) - 1 - step, level.size),
                 Effect::reduce);
}

void gather_along(Schedule& schedule, const Digit& level) {
  for (int step = 0; step < level.size - 1; ++step, ++schedule.steps)
    for (int rank = 0; rank < schedule.ranks; ++rank)
      send_digit(schedule, level, rank, wrap(level.of(rank) - step, level.size), Effect::copy);
}

}  // namespace

Schedule hierarchical_schedule(const GroupLevels& levels) {
  const std::vector<Digit> digits = digits_of(levels);
  const int ranks = digits.empty() ? 1 : digits.back().stride * digits.back().size;
  Schedule schedule{.kind = CollectiveKind::all_reduce, .ranks = ranks, .chunks = ranks};
  for (const Digit& level : digits) scatter_along(schedule, level);
  for (auto level = digits.rbegin(); level != digits.rend(); ++level)
    gather_along(schedule, *level);
  return schedule;
}

}  // namespace quintet
