// The norm of gradients, clipping, and the optimizer's update.
#include <algorithm>

#include "engine/device/item_lists.h"
#include "engine/parameters/training_state.h"

namespace quintet::engine {

namespace {

using kernels::GradientWrite;

// The sum of all lists is rounded once more at the end.
class NormLists {
 public:
  NormLists(Workplace& place, const NormSum& sum) : place_(place), sum_(sum) {}

  void add(Index count, const float* values) {
    lists_.add({count, values}, [this](const auto& list) { run(list); });
  }
  void finish() {
    if (!lists_.empty() || write_ == GradientWrite::overwrite) run(lists_.rest());
  }

 private:
  void run(const kernels::List<kernels::ConstStretch>& list) {
    place_.kernels().squared_norm({list, sum_.exact, write_, sum_.rounded}, place_.stream());
    write_ = GradientWrite::accumulate;
  }

  Workplace& place_;
  NormSum sum_;
  GradientWrite write_ = GradientWrite::overwrite;
  ItemLists<kernels::ConstStretch> lists_;
};

}  // namespace

void TrainingState::squared_norm(const NormSum& sum) {
  NormLists lists(place_, sum);
  for (const Stretch& stretch : stretches_)
    if (stretch.counted)
      lists.add(stretch.count, held_gradient(shares_.atoms()[stretch.atom]) + stretch.offset);
  lists.finish();
}

void TrainingState::local_squared_norm(std::span<const FlatRange> ranges, const NormSum& sum) {
  NormLists lists(place_, sum);
  for (const FlatRange& range : ranges)
    for_each_local(range, [&](float* gradient, Index count) { lists.add(count, gradient); });
  lists.finish();
}

void TrainingState::scale_local(const FlatRange& range, const float* factor) {
  ItemLists<kernels::GradientStretch> lists;
  const auto scale = [&](const kernels::List<kernels::GradientStretch>& list) {
    place_.kernels().scale_gradients({list, factor}, place_.stream());
  };
  for_each_local(range, [&](float* gradient, Index count) { lists.add({count, gradient}, scale); });
  if (!lists.empty()) scale(lists.rest());
}

FlatRange TrainingState::updated_range(int piece) const {
  return piece < 0 ? FlatRange{cut_.streamed(), shares_.compact_count()} : cut_.range(piece);
}

void TrainingState::await_reader() {
  if (reader_.valid()) place_.await(std::exchange(reader_, {}));
}

// The norms are part of the direction's kernel here. Only a step's first piece begins its update:
// the kernels count one for all pieces.
void TrainingState::update(Computation kernel, const UpdateSources& sources) {
  if (kernel == Computation::lamb_norms) return;
  await_reader();
  const bool opens = sources.piece == shape_.first_piece;
  if (kernel != Computation::lamb_step && opens) begin_update(sources);
  if (kernel != Computation::element_update) return lamb(kernel);
  ItemLists<kernels::ParameterStretch> lists;
  const auto run = [this](const kernels::List<kernels::ParameterStretch>& list) {
    update_element_by_element(list);
  };
  const FlatRange range = updated_range(sources.piece);
  for (Stretch part : stretches_) {
    const Index first = shares_.atoms()[part.atom].compact + part.offset;
    const Index begin = std::max(first, range.begin);
    part.count = std::min(first + part.count, range.end) - begin;
    part.offset += begin - first;
    if (part.count > 0) lists.add(parameters(part), run);
  }
  if (!lists.empty()) run(lists.rest());
}

void TrainingState::begin_update(const UpdateSources& sources) {
  const LossScaling& how = settings_.loss_scaling;
  const bool adam = settings_.rule != UpdateRule::sgd;
  place_.kernels().begin_update({sources.learning_rate,
                                 how.on() ? sources.squared_norm : nullptr,
                                 {how.growth, how.backoff, how.growth_interval},
                                 adam ? settings_.beta1 : 0.0F,
                                 adam ? settings_.beta2 : 0.0F,
                                 live_numbers()},
                                place_.stream());
}

kernels::ParameterStretch TrainingState::parameters(const Stretch& stretch) {
  const Atom& atom = shares_.atoms()[stretch.atom];
  const Index place = atom.compact + stretch.offset;
  const bool sgd = settings_.rule == UpdateRule::sgd;
  const bool first = !sgd || settings_.momentum > 0;
  return {stretch.count,
          master(atom, stretch.offset),
          held_gradient(atom) + stretch.offset,
          first ? first_moments_.working(place) : kernels::Tensor{},
          sgd ? kernels::Tensor{} : second_moments_.working(place),
          stretch.weight_decay,
          copy_of(atom, stretch.offset)};
}

// What kernels read, or what is gathered for them, is written by the update itself.
kernels::Tensor TrainingState::copy_of(const Atom& atom, Index offset) {
  if (in_place() || weights_.type() != DataType::bf16) return {};
  if (!working_.empty()) return working_.at(atom.compact + offset);
  return weights_.weights(atom.section).at(section_place(atom) + offset);
}

kernels::AdamConstants TrainingState::adam() const {
  return {settings_.beta1, settings_.beta2, settings_.epsilon};
}

void TrainingState::update_element_by_element(const kernels::List<kernels::ParameterStretch>& all) {
  if (settings_.rule == UpdateRule::sgd)
    place_.kernels().sgd({all, factor_.floats(), kernels::SgdMomentum::classical,
                          settings_.momentum, live_numbers()},
                         place_.stream());
  else
    place_.kernels().adamw({all, factor_.floats(), adam(), live_numbers()}, place_.stream());
}

kernels::LambStretch TrainingState::lamb_stretch(const Stretch& stretch) {
  const Index place = shares_.atoms()[stretch.atom].compact + stretch.offset;
  return {parameters(stretch), directions_.floats(place), tensor_norms_.floats(stretch.tensor),
          tensor_norms_.floats(tensors_ + stretch.tensor)};
}

void TrainingState::lamb(Computation kernel) {
  const bool directions = kernel == Computation::lamb_direction;
  if (directions) place_.zero(tensor_norms_);
  ItemLists<kernels::LambStretch> lists;
  const auto run = [&](const kernels::List<kernels::LambStretch>& list) {
    if (directions)
      place_.kernels().lamb_direction({list, factor_.floats(), adam(), live_numbers()},
                                      place_.stream());
    else
      place_.kernels().lamb_step({list, live_numbers()}, place_.stream());
  };
  for (const Stretch& stretch : stretches_) {
    kernels::LambStretch made = lamb_stretch(stretch);
    if (directions && !stretch.answers)
      made.squared_parameter_norm = made.squared_direction_norm = nullptr;
    lists.add(made, run);
  }
  if (!lists.empty()) run(lists.rest());
}

}  // namespace quintet::engine
