// A phase under way on one rank, by the rules of ASTRA-sim's rings, direct exchanges and halving
// and doubling: which packet goes when to whom, and what is done with one that has come. Knows
// neither time nor network.
//
// A packet is taken in hand (at the beginning some, later one for each that has come), is handled,
// and gives leave to send one. The phase has ended when all were sent and those on their way have
// come and been handled.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/astra_sim/phase.h"

namespace quintet {

struct PhasePacket {
  std::int32_t to = 0, from = 0;  // ranks: it goes to one, and one of the same size is awaited
  std::int64_t size = 0;
};

class PhaseRun {
 public:
  PhaseRun() = default;
  PhaseRun(const AstraPhase& phase, int rank);

  // How many are taken in hand at the beginning.
  int at_once() const { return at_once_; }
  struct InHand {
    std::int64_t size = 0;
    bool added_up = false;
  };
  InHand take_in_hand();
  void come() { ++come_; }
  // A packet has been handled. Appends what is sent now, in order.
  void handled(std::vector<PhasePacket>& sent);
  bool ended() const { return to_send_ == 0 && leave_ == at_once_; }

 private:
  void send(std::vector<PhasePacket>& sent);
  PhasePacket packet() const;
  void turn_halving();

  AstraPhase phase_;
  int place_ = 0;
  int at_once_ = 1;
  std::int64_t to_send_ = 0, leave_ = 0, sent_ = 0, come_ = 0;
  std::int64_t in_hand_ = 0;  // taken, ever
  std::int64_t cycle_ = 1;    // of packets in hand: the first at_once are never added up
  std::int64_t size_ = 0;     // of a packet
  // Halving and doubling: the distance of the packet in hand next, and of that to be sent.
  std::int64_t distance_ = 0, peer_distance_ = 0, peer_size_ = 0;
  bool growing_ = false;
};

}  // namespace quintet
