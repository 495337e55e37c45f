#include "traces/astra_sim/phase_run.h"

#include <algorithm>
#include <bit>

namespace quintet {
namespace {

std::int64_t logarithm(int size) {
  return std::bit_width(static_cast<unsigned>(size)) - 1;
}

std::int64_t messages_of(const AstraPhase& phase) {
  const std::int64_t others = phase.ring.size - 1;
  const bool twice = phase.kind == CollectiveKind::all_reduce;
  if (phase.implementation.algorithm == AstraAlgorithm::halving_doubling)
    return (twice ? 2 : 1) * logarithm(phase.ring.size);
  // Round a ring, what is for the k-th neighbour goes k hops.
  if (phase.kind == CollectiveKind::all_to_all &&
      phase.implementation.algorithm == AstraAlgorithm::ring)
    return others * phase.ring.size / 2;
  return (twice ? 2 : 1) * others;
}

}  // namespace

PhaseRun::PhaseRun(const AstraPhase& phase, int rank)
    : phase_(phase), place_(place_in(phase.ring, rank)), to_send_(messages_of(phase)) {
  const int ranks = phase.ring.size;
  size_ = phase.kind == CollectiveKind::all_gather ? phase.size : phase.size / ranks;
  switch (phase.implementation.algorithm) {
    case AstraAlgorithm::ring:
    case AstraAlgorithm::double_binary_tree:
      cycle_ = ranks;
      break;
    case AstraAlgorithm::direct: {
      const int window = phase.implementation.window;
      at_once_ = window < 0 ? ranks - 1 : std::min(window, ranks - 1);
      cycle_ = 2 * std::int64_t{at_once_};
      break;
    }
    case AstraAlgorithm::halving_doubling:
      cycle_ = logarithm(ranks);
      growing_ = phase.kind != CollectiveKind::all_gather;
      distance_ = growing_ ? 1 : ranks / 2;
      size_ = growing_ ? phase.size / 2 : phase.size;
      break;
  }
}

// Cycles of a reduction alternate: one adds up, the next only passes on.
PhaseRun::InHand PhaseRun::take_in_hand() {
  const std::int64_t cycle = in_hand_ / cycle_;
  const bool later = in_hand_ % cycle_ >= at_once_;
  const bool adds = phase_.kind == CollectiveKind::reduce_scatter ||
                    (phase_.kind == CollectiveKind::all_reduce && cycle % 2 == 0);
  ++in_hand_;
  const InHand packet{size_, later && adds};
  if (phase_.implementation.algorithm == AstraAlgorithm::halving_doubling) turn_halving();
  return packet;
}

// The partner is twice as far next time and gets half as much, up to half the ring; an all-reduce
// then goes the same way back.
void PhaseRun::turn_halving() {
  peer_distance_ = distance_;
  peer_size_ = size_;
  const auto turn = [this] {
    distance_ = growing_ ? distance_ * 2 : distance_ / 2;
    size_ = growing_ ? size_ / 2 : size_ * 2;
  };
  turn();
  if (distance_ != phase_.ring.size || phase_.kind != CollectiveKind::all_reduce) return;
  growing_ = false;
  turn();
}

PhasePacket PhaseRun::packet() const {
  const int ranks = phase_.ring.size;
  const int forwards = phase_.backwards ? ranks - 1 : 1;
  const auto at = [&](std::int64_t place) {
    return static_cast<std::int32_t>(phase_.ring.rank_at(static_cast<int>(place % ranks)));
  };
  if (phase_.implementation.algorithm == AstraAlgorithm::halving_doubling) {
    const bool up = place_ / peer_distance_ % 2 == 0;
    const std::int32_t partner = at(place_ + (up ? peer_distance_ : ranks - peer_distance_));
    return {partner, partner, peer_size_};
  }
  // A direct exchange goes round the others, beginning with the neighbour.
  const std::int64_t far =
      phase_.implementation.algorithm == AstraAlgorithm::direct ? 1 + sent_ % (ranks - 1) : 1;
  return {at(place_ + far * forwards), at(place_ + far * (ranks - forwards)), size_};
}

void PhaseRun::send(std::vector<PhasePacket>& sent) {
  if (in_hand_ == sent_ || to_send_ == 0 || leave_ == 0) return;
  sent.push_back(packet());
  ++sent_;
  --to_send_;
  --leave_;
}

// A direct all-reduce holds its second half back until all of the first has come.
void PhaseRun::handled(std::vector<PhasePacket>& sent) {
  ++leave_;
  const std::int64_t others = phase_.ring.size - 1;
  const bool second_half = phase_.implementation.algorithm == AstraAlgorithm::direct &&
                           phase_.kind == CollectiveKind::all_reduce && to_send_ <= others;
  if (!second_half) return send(sent);
  if (come_ < others) return;
  for (int at = 0; at < at_once_; ++at) send(sent);
}

}  // namespace quintet
