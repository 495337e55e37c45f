// The optimizer's state that lives in the host's memory (Offload): what of it there is, and the
// calls that bring a piece, update it and take it back. Two pieces are on the GPU at a time: while
// one is updated the other comes or goes. The first two come under the last pass of backward; with
// the gradients' norm of the whole model known, the rest can only follow one another.
#pragma once

#include <cstdint>

#include "sim/model/state_bytes.h"
#include "sim/parallelism/exchange_bodies.h"
#include "sim/parallelism/script_builder.h"
#include "sim/plan/plan.h"

namespace quintet {

// Which types a rank's state has.
StateTypes state_types(const Parallelism& parallelism);

// A rank's own elements of the state, cut by the plan's Offload.
struct StatePieces {
  std::int64_t resident = 0;  // whose state stays on the GPU
  std::int64_t streamed = 0;
  int pieces = 0;  // of what is streamed; the last has what is left over
  std::int64_t piece() const { return pieces > 0 ? streamed / pieces : 0; }
  std::int64_t last_piece() const { return streamed - piece() * (pieces - 1); }
  int slots() const { return pieces < 2 ? pieces : 2; }  // room for so many on the GPU
};
StatePieces state_pieces(const Parallelism& parallelism, std::int64_t owned);

class StateStream {
 public:
  // References must outlive this.
  StateStream(const Parallelism& parallelism, ProgramBuilder& builder, ScriptBuilder& script,
              const ExchangeBodies& bodies)
      : parallelism_(parallelism), builder_(builder), script_(script), bodies_(bodies) {}

  // The update of `owned` elements of so many tensors. `ready`: what gradients wait for; `early`:
  // what the first pieces wait for. Returns what then waits for the new weights.
  Calls update(std::int64_t owned, std::int64_t tensors, const Calls& ready, const Calls& early);

 private:
  int copy(int piece, CopyPurpose purpose, Calls after);
  std::int64_t elements(int piece) const {
    return piece == cut_.pieces - 1 ? cut_.last_piece() : cut_.piece();
  }

  const Parallelism& parallelism_;
  ProgramBuilder& builder_;
  ScriptBuilder& script_;
  const ExchangeBodies& bodies_;
  StatePieces cut_;
};

}  // namespace quintet
