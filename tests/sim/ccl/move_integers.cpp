#include "tests/sim/ccl/move_integers.h"

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>

namespace quintet {

namespace {

using Integer = std::uint64_t;  // sums wrap, which keeps them exact
using Cell = std::optional<Integer>;

struct Buffers {
  std::vector<std::vector<Cell>> of;  // [rank][chunk]
  Cell& at(int rank, int chunk) {
    return of[static_cast<std::size_t>(rank)][static_cast<std::size_t>(chunk)];
  }
};

// Well mixed (splitmix64's finaliser), so that a wrong sum equals a right one with probability
// 2^-64.
Integer contribution(int rank, int chunk) {
  Integer mixed =
      static_cast<Integer>(rank) * 0x9e3779b97f4a7c15u + static_cast<Integer>(chunk) + 1;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  return mixed ^ (mixed >> 31);
}

bool starts_with(const Schedule& schedule, int rank, int chunk) {
  switch (schedule.kind) {
    case CollectiveKind::all_reduce:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::reduce:
      return true;
    case CollectiveKind::all_gather:
      return chunk == rank;
    case CollectiveKind::broadcast:
      return rank == 0;
    case CollectiveKind::all_to_all:
      return chunk / schedule.ranks == rank;
  }
  return false;
}

// What must lie in `chunk` of `rank` at the end; nothing where the collective does not care.
Cell promised(const Schedule& schedule, int rank, int chunk) {
  Integer sum = 0;
  for (int other = 0; other < schedule.ranks; ++other) sum += contribution(other, chunk);
  switch (schedule.kind) {
    case CollectiveKind::all_reduce:
      return sum;
    case CollectiveKind::reduce_scatter:
      return chunk == rank ? Cell{sum} : std::nullopt;
    case CollectiveKind::reduce:
      return rank == 0 ? Cell{sum} : std::nullopt;
    case CollectiveKind::all_gather:
      return contribution(chunk, chunk);
    case CollectiveKind::broadcast:
      return contribution(0, chunk);
    case CollectiveKind::all_to_all:
      if (chunk % schedule.ranks != rank) return std::nullopt;
      return contribution(chunk / schedule.ranks, chunk);
  }
  return std::nullopt;
}

std::string text(const Transfer& transfer) {
  return "step " + std::to_string(transfer.step) + ", " + std::to_string(transfer.from) + " -> " +
         std::to_string(transfer.to) + ", chunk " + std::to_string(transfer.chunk);
}

Buffers start_of(const Schedule& schedule, int helpers) {
  Buffers buffers;
  buffers.of.assign(static_cast<std::size_t>(schedule.ranks + helpers),
                    std::vector<Cell>(static_cast<std::size_t>(schedule.chunks)));
  for (int rank = 0; rank < schedule.ranks; ++rank)
    for (int chunk = 0; chunk < schedule.chunks; ++chunk)
      if (starts_with(schedule, rank, chunk)) buffers.at(rank, chunk) = contribution(rank, chunk);
  return buffers;
}

std::string misplaced(const Schedule& schedule, const Transfer& transfer, int helpers) {
  const int places = schedule.ranks + helpers;
  const auto inside = [](int value, int count) { return value >= 0 && value < count; };
  const bool valid = inside(transfer.from, places) && inside(transfer.to, places) &&
                     transfer.from != transfer.to && inside(transfer.chunk, schedule.chunks) &&
                     inside(transfer.step, schedule.steps);
  return valid ? "" : "outside: " + text(transfer);
}

// Side by side: everyone sends what it had before the step. Nobody may be overwritten twice, or
// overwritten and added to.
std::string take_step(std::span<const Transfer> step, Buffers& buffers) {
  std::vector<Integer> sent;
  for (const Transfer& transfer : step) {
    const Cell had = buffers.at(transfer.from, transfer.chunk);
    if (!had) return "sends what it does not have: " + text(transfer);
    sent.push_back(*had);
  }
  std::map<std::pair<int, int>, Effect> written;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const Transfer& transfer = step[i];
    const auto [earlier, first] = written.insert({{transfer.to, transfer.chunk}, transfer.effect});
    const bool both_add = earlier->second == Effect::reduce && transfer.effect == Effect::reduce;
    if (!first && !both_add) return "two write one place: " + text(transfer);
    Cell& target = buffers.at(transfer.to, transfer.chunk);
    target = transfer.effect == Effect::copy ? sent[i] : target.value_or(0) + sent[i];
  }
  return "";
}

std::string wrong_result(const Schedule& schedule, Buffers& buffers) {
  for (int rank = 0; rank < schedule.ranks; ++rank)
    for (int chunk = 0; chunk < schedule.chunks; ++chunk) {
      const Cell right = promised(schedule, rank, chunk);
      if (right && buffers.at(rank, chunk) != right)
        return "wrong on rank " + std::to_string(rank) + ", chunk " + std::to_string(chunk);
    }
  return "";
}

}  // namespace

std::string broken_promise(const Schedule& schedule, int helpers) {
  Buffers buffers = start_of(schedule, helpers);
  const bool by_step =
      std::is_sorted(schedule.transfers.begin(), schedule.transfers.end(),
                     [](const Transfer& a, const Transfer& b) { return a.step < b.step; });
  if (!by_step) return "transfers are not in the order of their steps";
  for (const Transfer& transfer : schedule.transfers)
    if (const std::string fault = misplaced(schedule, transfer, helpers); !fault.empty())
      return fault;
  for (auto first = schedule.transfers.begin(); first != schedule.transfers.end();) {
    const auto last = std::find_if(first, schedule.transfers.end(), [&](const Transfer& transfer) {
      return transfer.step != first->step;
    });
    if (const std::string fault = take_step({first, last}, buffers); !fault.empty()) return fault;
    first = last;
  }
  return wrong_result(schedule, buffers);
}

std::map<std::pair<int, int>, double> share_by_pair(const Schedule& schedule) {
  std::map<std::pair<int, int>, double> shares;
  for (const Transfer& transfer : schedule.transfers)
    shares[{transfer.from, transfer.to}] += 1.0 / schedule.chunks;
  return shares;
}

std::vector<double> sent_by_rank(const Schedule& schedule) {
  std::vector<double> sent(static_cast<std::size_t>(schedule.ranks), 0.0);
  for (const auto& [pair, share] : share_by_pair(schedule))
    if (pair.first < schedule.ranks) sent[static_cast<std::size_t>(pair.first)] += share;
  return sent;
}

Seconds stepwise_time(const Schedule& schedule, Bytes size, Seconds latency, Bandwidth rate) {
  std::map<std::tuple<int, int, int>, int> chunks;  // step, from, to
  for (const Transfer& transfer : schedule.transfers)
    ++chunks[{transfer.step, transfer.from, transfer.to}];
  std::vector<int> largest(static_cast<std::size_t>(schedule.steps), 0);
  for (const auto& [message, count] : chunks) {
    int& most = largest[static_cast<std::size_t>(std::get<0>(message))];
    most = std::max(most, count);
  }
  Seconds time;
  for (const int count : largest) time += latency + size * count / schedule.chunks / rate;
  return time;
}

}  // namespace quintet
