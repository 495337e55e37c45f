// What a rank keeps from step to step: its share of the fp32 weights and of the optimizer's
// moments, and the sums of gradients that its update reads.
#pragma once

#include <functional>
#include <future>
#include <span>
#include <utility>
#include <vector>

#include "engine/device/slice_way.h"
#include "engine/parameters/section_values.h"
#include "engine/parameters/shares.h"
#include "engine/parameters/state_array.h"
#include "engine/parameters/weight_store.h"
#include "sim/model/update_operators.h"

namespace quintet::engine {

// Gradients are made this much larger while they are computed and summed, so that small ones
// survive 16 bits; a step whose gradients overflow is left out and the scale made smaller. As
// torch.cuda.amp.GradScaler; `initial` 1 and `growth` 1: none.
struct LossScaling {
  double initial = 1;
  double growth = 1;  // after so many steps without overflow
  double backoff = 0.5;
  std::int64_t growth_interval = 2000;
  bool on() const { return initial != 1 || growth != 1; }
};

struct OptimizerSettings {
  UpdateRule rule = UpdateRule::adamw;
  float learning_rate = 1e-3F;
  float beta1 = 0.9F, beta2 = 0.999F, epsilon = 1e-8F;
  float weight_decay = 0.0F;  // of matrices only
  float momentum = 0.0F;      // sgd
  float maximum_norm = 1.0F;  // what gradients are clipped to, where the program clips
  LossScaling loss_scaling;
};

// Where the weights that kernels read come from.
enum class WeightHome {
  sections,  // updated in place
  gathered,  // put together from the ranks' shares
};

struct StateShape {
  GradientHome gradients = GradientHome::sections;
  WeightHome weights = WeightHome::sections;
  int tensor_position = 0;
  bool tied = false;  // the projection is a copy of the token table
  DataType moments = DataType::fp32;
  // This share of the state comes in so many pieces; first_piece: which is updated first in a step,
  // -1: what never went away.
  double streamed = 0;
  int pieces = 0;
  int first_piece = -1;
};

// A stretch of what a rank keeps from step to step, in the memory that its kernels use, or in the
// host's, from which it comes to them.
struct KeptStretch {
  int atom = 0;  // in Shares::atoms()
  int section = 0;
  Index place = 0;  // in the section
  Index count = 0;
  Index element = 0;  // the first's place among the rank's own elements
  float* weights = nullptr;
  kernels::Tensor first_moments{};
  kernels::Tensor second_moments{};  // no memory where the rule has none
};

// What an update reads of its step, where kernels find it.
struct UpdateSources {
  const float* learning_rate = nullptr;
  const float* squared_norm = nullptr;  // of all gradients, where the program asks for it
  int piece = -1;                       // of the state; -1: what never went away
};

// Where a squared norm goes: the sum, and rounded, as ranks add it up.
struct NormSum {
  double* exact = nullptr;
  float* rounded = nullptr;
};

class TrainingState {
 public:
  TrainingState(WeightStore& weights, const Shares& shares, const StateShape& shape,
                const OptimizerSettings& settings, Workplace& place);

  // Whether a section's weights are there all the time.
  using Residents = std::function<bool(int section)>;
  // All weights of this rank, and with them those that kernels read; the moments stay. Of sections
  // that are not there the source is asked for the rank's share only.
  std::optional<Error> set_weights(const Filling& how, const Residents& resident);
  // They are numbers, at least: 0.
  void clear_weights(const Residents& resident);

  std::vector<KeptStretch> kept();
  // Somebody reads what is kept until then, beside the next step: what changes it waits.
  void wait_for_reader(std::future<void> over) { reader_ = std::move(over); }
  void await_reader();
  // What the kernels keep of updates and of the loss scale. Asking and telling wait for the lane.
  kernels::UpdateNumbers numbers();
  void set_numbers(const kernels::UpdateNumbers& numbers);
  std::int64_t updates() { return numbers().updates; }
  void set_updates(std::int64_t updates);
  // The number of the update of the step that begins next, the first of training 1. Asks no device:
  // there every step that was begun since updates were told is taken for one, as it is without a
  // loss scale; steps that were launched as a graph are not counted.
  std::int64_t next_update();
  void begin_step();

  // Flat gradients that this rank's update reads, piece by piece: (gradients, place in the range,
  // how many).
  void for_each_held(const FlatRange& range,
                     const std::function<void(float*, Index, Index)>& visit);
  float* held_gradient(const Atom& atom);
  // The fp32 weights from an element of what this rank holds of the atom on, and what kernels read,
  // or what is gathered for them, where that is a copy; nothing of the state may be streamed.
  float* own_weights(const Atom& atom, Index offset) { return master_home(atom, offset); }
  kernels::Tensor working_copy(const Atom& atom, Index offset) { return copy_of(atom, offset); }
  const ParameterLayout& layout() const { return weights_.layout(); }
  kernels::ConstTensor shared_weights(const Atom& atom);  // this rank's share, to be gathered

  // The squared norm of what the update reads: each weight of the model on one rank only.
  void squared_norm(const NormSum& sum);
  // This is the squared norm of what backward has added up so far on this rank, over parts of the
  // flat elements.
  void local_squared_norm(std::span<const FlatRange> ranges, const NormSum& sum);
  // All flat elements that count in the norm on this rank.
  std::vector<FlatRange> counted() const;
  void scale_local(const FlatRange& range, const float* factor);

  float* factor() { return factor_.floats(); }  // of this step's update; 1 at first

  // What gradients carry while loss scaling is on.
  struct Scale {
    double scale = 1;
    std::int64_t steps_since_overflow = 0;
    bool operator==(const Scale&) const = default;
  };
  Scale loss_scale();
  void set_loss_scale(const Scale& scale);
  // Where kernels read it; null: gradients are not scaled.
  const double* live_loss_scale();
  // Where kernels keep it all.
  kernels::UpdateNumbers* live_numbers() {
    return reinterpret_cast<kernels::UpdateNumbers*>(numbers_.bytes().data());
  }
  const OptimizerSettings& settings() const { return settings_; }
  OptimizerSettings& settings() { return settings_; }

  // One of the rule's kernels, over a piece of the state that is there. LAMB: the directions, the
  // norms, the steps; between the last two, tensor_norms() are summed over the ranks that hold
  // parts of the same tensors. Whether there is an update, and which, the kernels find out
  // themselves: a norm that is not finite is an overflow where gradients are scaled.
  void update(Computation kernel, const UpdateSources& sources);
  // The copy of a piece between the host's memory and where it is updated, on the lane that works
  // now.
  void fetch(int piece);
  void store(int piece);
  // No lane may work on them.
  void set_moments_zero();
  // Squares of each tensor's norm, then of each direction's: of what this rank answers for.
  Buffer& tensor_norms() { return tensor_norms_; }
  std::int64_t tensors() const { return tensors_; }

 private:
  struct Stretch {
    std::size_t atom = 0;
    Index offset = 0;  // from what this rank holds of the atom
    Index count = 0;
    float weight_decay = 0;
    bool counted = false;  // in the norm, on this rank
    std::int64_t tensor = 0;
    bool answers = false;  // for the norm of its tensor, among the stage's ranks
  };
  bool in_place() const;  // the fp32 weights are those that kernels read
  void make_stretches();
  void add_stretches(std::size_t atom, const Section& section, std::int64_t first_tensor);
  bool counts(const LocalTensor& tensor) const;
  void for_each_local(const FlatRange& range, const std::function<void(float*, Index)>& visit);
  std::vector<FlatRange> wanted(int section, bool resident) const;
  // A slice of a section.
  struct SlicePlace {
    int section = 0;
    Index place = 0, count = 0;
    bool resident = false;
  };
  std::optional<Error> set_slice(const SlicePlace& slice, const Filling& how, SliceWay& way);
  void take_slice(const SlicePlace& slice, Buffer& values);
  void take_share(const Atom& atom, const FlatRange& held, kernels::ConstTensor values);
  template <class Visit>
  void for_each_home(const Atom& atom, const FlatRange& held, const Visit& visit) const;
  // What fp32 weights lie at this element from step to step, and while they are updated.
  float* master_home(const Atom& atom, Index offset);
  float* master(const Atom& atom, Index offset);
  Index section_place(const Atom& atom) const;
  kernels::ParameterStretch parameters(const Stretch& stretch);
  FlatRange updated_range(int piece) const;
  kernels::Tensor copy_of(const Atom& atom, Index offset);
  kernels::AdamConstants adam() const;
  kernels::LambStretch lamb_stretch(const Stretch& stretch);
  void begin_update(const UpdateSources& sources);
  void update_element_by_element(const kernels::List<kernels::ParameterStretch>& all);
  void lamb(Computation kernel);

  WeightStore& weights_;
  const Shares& shares_;
  StateShape shape_;
  OptimizerSettings settings_;
  Workplace& place_;
  std::vector<Stretch> stretches_;
  StateCut cut_;
  StateArray master_, first_moments_, second_moments_;  // shares, one after the other
  Buffer working_, gradients_;                          // likewise
  Buffer directions_, tensor_norms_;                    // LAMB's
  Buffer one_, factor_, numbers_;
  std::int64_t tensors_ = 0;
  std::int64_t begun_ = 0;    // steps, since updates were told: with those
  std::future<void> reader_;  // valid: there may be one
};

}  // namespace quintet::engine
