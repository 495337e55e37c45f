// What crosses the replicas of a sharding group, in place of every step's whole gradients.
//
// DeMo (arXiv 2411.19870), FlexDeMo and the family around it (arXiv 2502.06728; the code is
// github.com/schneiderkamplab/DeToNATION), DiLoCo (arXiv 2311.08105). What a step does with each is
// sim/parallelism/replication/replicator_operators.h.
#pragma once

#include <string_view>

#include "sim/base/data_type.h"
#include "sim/base/units.h"

namespace quintet {

enum class ReplicatorKind {
  full,      // gradients
  demo,      // of each chunk of a momentum the largest coefficients of its cosine transform
  random,    // elements of a momentum that a seed which all replicas share draws
  striding,  // elements of a momentum at equal strides; the first one moves with the step
  diloco,    // parameters; their mean is a gradient for an outer optimizer
  none,      // nothing: replicas go their own ways
};

// How a coefficient's place in its chunk is sent.
enum class IndexType { int16, int32, int64 };

struct Replicator {
  ReplicatorKind kind = ReplicatorKind::full;
  int every = 1;         // of so many steps the last has the exchange
  int chunk = 64;        // demo: entries of a transform along one dimension
  int top_k = 32;        // demo: coefficients kept per chunk
  double rate = 0.1;     // random, striding: share sent
  double decay = 0.999;  // of the momentum, per step
  bool sign = true;      // of what was merged its sign alone reaches the optimizer
  IndexType index_type = IndexType::int32;
  DataType value_type = DataType::fp32;  // of what is sent
  int seed = 42;                         // random
  double outer_rate = 0.7;               // diloco: Nesterov's learning rate
  double outer_momentum = 0.9;           // diloco
  bool operator==(const Replicator&) const = default;
};

// The words of plan.json.
std::string_view name_of(ReplicatorKind kind);
std::string_view name_of(IndexType type);

Bytes size_of(IndexType type);
// Whether a momentum keeps what was not sent.
bool keeps_momentum(ReplicatorKind kind);
// Whether all gradients are summed in every step, as without a replicator.
bool is_plain(const Replicator& replicator);
// Whether replicas' weights differ between two exchanges.
bool lets_replicas_differ(const Replicator& replicator);

}  // namespace quintet
