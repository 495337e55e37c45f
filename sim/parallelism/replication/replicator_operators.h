// What a rank does before and after replicas exchange a unit, kernel by kernel, with the bytes and
// FLOPs of each. m: the momentum; g: the gradient, the mean of the sharding group; R: replicas.
//
//   demo      m = decay m + w g, coefficients C = DCT(m), the largest K of C are sent, m = m -
//             IDCT(K); afterwards C = mean of K over those that sent it, g = sign(IDCT(C))
//   random    m = decay m + w g, the drawn elements of m are sent and become 0 in m; g = sign(mean
//             over R), 0 elsewhere
//   striding  likewise, of every n-th element
//   full      g is sent, g = its mean over R: only of steps that have an exchange
//   diloco    after the update: d = anchor - weights is sent; with d = its mean over R,
//             v = outer_momentum v + d, anchor = anchor - outer_rate (d + outer_momentum v), and
//             the weights are the anchor
//
// w is the step's learning rate where the sign is taken, as in both projects' code; without the
// sign, where the optimizer multiplies by the rate, it is 1.
#pragma once

#include <vector>

#include "sim/model/operator.h"
#include "sim/parallelism/replication/replicated_unit.h"

namespace quintet {

struct ReplicatorWork {
  Replicator replicator;
  DataType product = DataType::fp32;  // whose rate the transform's products are priced at
  int replicas = 2;
};

// Before the collective and after it.
std::vector<Operator> choice_operators(const ReplicatedUnit& unit, const ReplicatorWork& work);
std::vector<Operator> merge_operators(const ReplicatedUnit& unit, const ReplicatorWork& work);

// Bytes that stay from step to step for each parameter of a rank: fp32 momentum; diloco's anchor
// and velocity.
Bytes kept_per_parameter(const Replicator& replicator);

}  // namespace quintet
