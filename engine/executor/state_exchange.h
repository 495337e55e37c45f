// Gradients that leave a rank and weights that come together, one iteration of a call after
// another (flat_units.h): what stands in the buffers that the data axis's collectives work on.
#pragma once

#include <map>
#include <optional>

#include "engine/parameters/flat_units.h"
#include "engine/parameters/training_state.h"

namespace quintet::engine {

class StateExchange {
 public:
  StateExchange(WeightStore& weights, const Shares& shares, TrainingState& state,
                const Script& script, const StateShape& shape, Workplace& place)
      : weights_(weights),
        shares_(shares),
        state_(state),
        script_(script),
        shape_(shape),
        place_(place),
        gathered_(weights.layout().sections().size(), 0),
        packed_(weights.layout().sections().size(), 0) {}

  FlatUnit unit(const CallIteration& at) const {
    return quintet::elements_of(script_.calls[static_cast<std::size_t>(at.first)], at.second);
  }

  // Brings a unit's gradients to where the collective takes them, in order of the ranks' shares:
  // in place where all ranks keep all of them and they lie together, else in a copy. Where sums are
  // kept apart, backward begins again at zero. Done once per unit.
  void pack(const CallIteration& at, DataType type);
  Buffer& outgoing(const CallIteration& at) { return outgoing_.at(at); }
  void keep_own_part(const CallIteration& at);
  void take_sums(const CallIteration& at);  // to where the update reads them

  // The sum of micro-batches' gradients that are clipped one by one: a unit's are added to it and
  // begin again at zero, or it is added to them and begins again.
  enum class KeptSum { grows, leaves };
  void add_kept(const FlatRange& unit, KeptSum which);

  Buffer& begin_gather(const CallIteration& at);
  void finish_gather(const CallIteration& at);
  // Sections that are put together for one use each.
  void count_use(const CallIteration& at);
  void end_use(int section);

  // One buffer with the gradients of these ranges, as far as this rank has them, and back.
  Buffer& collect(const std::vector<FlatRange>& ranges);
  void distribute(const std::vector<FlatRange>& ranges);

 private:
  std::optional<FlatRange> in_place(const FlatUnit& unit) const;
  Buffer packed_copy(const FlatUnit& unit);
  Buffer narrowed(Buffer floats, DataType type);
  void drop_packed(const std::vector<Atom>& atoms);
  void copy_part(const Atom& atom, int rank, float* to);

  WeightStore& weights_;
  const Shares& shares_;
  TrainingState& state_;
  const Script& script_;
  StateShape shape_;
  Workplace& place_;
  std::map<CallIteration, Buffer> outgoing_, gathers_;
  std::vector<int> gathered_;  // per section: how often it was put together and not yet used
  std::vector<Index> packed_;  // per section: elements that have left since they were added up
  Buffer collected_;
  Buffer kept_;  // of all elements; empty before it is asked for
};

}  // namespace quintet::engine
