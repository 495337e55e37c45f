#include "traces/astra_sim/rank_pieces.h"

#include <algorithm>
#include <utility>

#include "traces/astra_sim/wire_rules.h"

namespace quintet {
namespace {

constexpr int group_endpoint_nanoseconds = 10;

template <class Pool, class Element>
std::int32_t place_in_pool(Pool& pool, std::vector<std::int32_t>& free, Element element) {
  if (free.empty()) {
    pool.push_back(std::move(element));
    return static_cast<std::int32_t>(pool.size()) - 1;
  }
  const std::int32_t place = free.back();
  free.pop_back();
  pool[static_cast<std::size_t>(place)] = std::move(element);
  return place;
}

}  // namespace

RankPieces::RankPieces(const AstraNetwork& network, const AstraSystem& system, RankEvents& events,
                       Traffic& traffic, std::function<void(int rank, int task)> ended)
    : network_(network),
      system_(system),
      events_(events),
      traffic_(traffic),
      ended_(std::move(ended)),
      at_once_((system.active_chunks + system.queues_per_dimension - 1) /
               system.queues_per_dimension) {
  const int dimensions = static_cast<int>(network.dimensions.size());
  const auto queues = static_cast<std::size_t>(dimensions * system.queues_per_dimension);
  const RankState idle{QueueTurns(dimensions, system.queues_per_dimension),
                       std::vector<Queue>(queues)};
  ranks_.assign(static_cast<std::size_t>(ranks_of(network)), idle);
}

std::int64_t RankPieces::start(const AstraCollectiveCall& call, int group, int task) {
  RankState& rank = ranks_[static_cast<std::size_t>(call.rank)];
  const Pieces pieces = pieces_of(call, network_, system_);
  const std::int32_t collective =
      place_in_pool(collectives_, free_collectives_, Collective{pieces.count, task});
  for (std::int64_t count = 0; count < pieces.count; ++count) {
    std::vector<AstraPhase> phases = phases_of(call, pieces.size, network_, system_, rank.turns);
    if (phases.empty()) {
      free_collectives_.push_back(collective);
      return 0;
    }
    const std::int64_t tag = tag_of_piece(group, rank.pieces_of_group[group]++);
    go_on(
        place_in_pool(pieces_, free_pieces_, Piece{call.rank, collective, tag, std::move(phases)}));
  }
  return pieces.count;
}

// The order of what follows is ASTRA-sim's: the rank is told before the piece leaves its queue, and
// the piece stands in its next queue before another takes its turn in the one it leaves.
void RankPieces::go_on(int number) {
  Piece& piece = pieces_[static_cast<std::size_t>(number)];
  std::vector<Queue>& queues = ranks_[static_cast<std::size_t>(piece.rank)].queues;
  const int rank = piece.rank;
  const int before = piece.phases_begun == 0 ? -1 : piece.phase().queue;
  const bool last = piece.phases_begun == piece.phases.size();
  if (last) end_of(piece);
  if (before >= 0) std::erase(queues[static_cast<std::size_t>(before)].pieces, number);
  int next = -1;
  if (last) {
    free_pieces_.push_back(number);
  } else {
    ++piece.phases_begun;
    next = piece.phase().queue;
    queues[static_cast<std::size_t>(next)].pieces.push_back(number);
  }
  if (before >= 0) {
    --queues[static_cast<std::size_t>(before)].in_work;
    work_on(rank, before);
  }
  if (next >= 0) work_on(rank, next);
}

void RankPieces::end_of(const Piece& piece) {
  Collective& collective = collectives_[static_cast<std::size_t>(piece.collective)];
  if (--collective.left > 0) return;
  free_collectives_.push_back(piece.collective);
  ended_(piece.rank, collective.task);
}

void RankPieces::work_on(int rank, int number) {
  Queue& queue = ranks_[static_cast<std::size_t>(rank)].queues[static_cast<std::size_t>(number)];
  while (queue.in_work < at_once_ &&
         static_cast<std::size_t>(queue.in_work) < queue.pieces.size()) {
    begin(queue.pieces[static_cast<std::size_t>(queue.in_work)]);
    ++queue.in_work;
  }
}

void RankPieces::begin(int number) {
  Piece& piece = pieces_[static_cast<std::size_t>(number)];
  piece.run = PhaseRun(piece.phase(), piece.rank);
  for (int at = 0; at < piece.run.at_once(); ++at) take_in_hand(number);
}

// Written once and read twice, each time in whole nanoseconds.
std::int64_t RankPieces::adding_up(std::int64_t size) const {
  const double rate = system_.memory_gigabytes * 1'000'000'000;
  return 3 * std::min(whole_nanoseconds(static_cast<double>(size) / rate * 1e9),
                      whole_nanoseconds(1e15));
}

void RankPieces::take_in_hand(int number) {
  Piece& piece = pieces_[static_cast<std::size_t>(number)];
  const PhaseRun::InHand packet = piece.run.take_in_hand();
  const int endpoint =
      piece.phase().in_group ? group_endpoint_nanoseconds : system_.endpoint_nanoseconds;
  events_.after(piece.rank, endpoint,
                {RankEvent::Kind::handled, number, packet.added_up ? adding_up(packet.size) : -1});
}

void RankPieces::handled(int rank, const RankEvent& event) {
  if (event.adding >= 0)
    return events_.after(rank, event.adding, {RankEvent::Kind::handled, event.number, -1});
  Piece& piece = pieces_[static_cast<std::size_t>(event.number)];
  packets_.clear();
  piece.run.handled(packets_);
  for (const PhasePacket& packet : packets_) {
    traffic_.send({piece.tag, packet.size, rank, packet.to, -1});
    traffic_.receive({piece.tag, packet.size, packet.from, rank},
                     {Receiver::Kind::piece, event.number});
  }
  if (piece.run.ended()) go_on(event.number);
}

void RankPieces::received(int number) {
  pieces_[static_cast<std::size_t>(number)].run.come();
  take_in_hand(number);
}

}  // namespace quintet
