// Why a measured step is not the predicted one: the charges of both (charges.h), grouped by what
// went otherwise than predicted, the largest difference first.
//
//   rank, host   what is charged to the computing of a rank that is slow beyond its peers: its
//                computing takes at least 1.25 times what it would take if each kind of operator
//                took as long, beside its prediction, as on the rank in the middle (the lower
//                median over the ranks that run it; so an operator that only one rank runs, or that
//                is mispredicted everywhere, makes no rank slow), and 1.25 times as much of that as
//                the rank in the middle, if that one is over it too. A host, where that holds for
//                all its ranks, two or more, and there are others.
//   operators    what is charged on the other ranks to operators of a kind and phase whose ratio
//                (measured / predicted) is over 15 % off that of all their computing, and which
//                make up a tenth of the step's difference and a hundredth of the step, or more
//   computing    all other computing of the other ranks
//   network      data that moves (or should, all having come), by axis
//   copies, host, idle, unexplained      as charges.h has them
// Every charge is in exactly one cause: the causes sum to the step, predicted and measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/timeline/timeline.h"

namespace quintet {

// A time on both sides of the comparison.
struct Compared {
  Duration predicted, measured;
  bool operator==(const Compared&) const = default;
  constexpr Duration difference() const { return measured - predicted; }
};

enum class CauseKind {
  rank,
  host,
  operators,
  computing,
  network,
  copies,
  host_work,
  idle,
  unexplained
};
std::string_view name_of(CauseKind kind);

struct Cause {
  CauseKind kind = CauseKind::idle;
  Rank rank;         // rank
  std::string host;  // host; of a rank, where it is known
  OperatorKind work = OperatorKind::norm;
  Phase phase = Phase::forward;  // operators
  Axis axis = Axis::tensor;      // network
  Compared charged;              // mean over ranks
  // How long its own work took, whether or not anybody waited for it: computing of the ranks
  // concerned; moving data of the axis, a message where it arrives.
  Compared work_time;
  // rank, host: the other ranks' computing; computing: that of slow ranks; operators: all
  // computing beside that of slow ranks.
  Compared others;
  // Share of its computing for which a core ran the rank's thread, and the others'; rank and host.
  std::optional<double> ran, others_ran;
  // network, where the axis has no messages: of the ranks' ratios measured / predicted, the least
  // and the greatest
  double least = 0, most = 0;
  // network: bytes over the time they moved, of all communications together, predicted, measured
  Bandwidth predicted_rate, measured_rate;
  bool operator==(const Cause&) const = default;
};

struct Difference;

// `difference` has all but its causes.
std::vector<Cause> causes(const Timeline& predicted, const Timeline& measured,
                          const Difference& difference);

}  // namespace quintet
