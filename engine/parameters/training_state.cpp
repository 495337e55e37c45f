#include "engine/parameters/training_state.h"

#include <algorithm>
#include <utility>

namespace quintet::engine {

namespace {

FlatRange overlap(const FlatRange& left, const FlatRange& right) {
  return {std::max(left.begin, right.begin), std::min(left.end, right.end)};
}

}  // namespace

TrainingState::TrainingState(WeightStore& weights, const Shares& shares, const StateShape& shape,
                             const OptimizerSettings& settings, Workplace& place)
    : weights_(weights), shares_(shares), shape_(shape), settings_(settings), place_(place) {
  const Index count = shares.compact_count();
  cut_ = StateCut(count, shape.streamed, shape.pieces);
  // Weights in fp32 are what kernels read, or what is gathered for them: they stay.
  const bool copied = weights.type() != DataType::fp32;
  if (!in_place()) master_ = StateArray(place, count, DataType::fp32, copied ? cut_ : StateCut());
  const bool gathered = shape.weights == WeightHome::gathered;
  if (gathered && copied) working_ = place.zeroed(count, weights.type());
  if (shape.gradients == GradientHome::apart) gradients_ = place.zeroed(count, DataType::fp32);
  first_moments_ = StateArray(place, count, shape.moments, cut_);
  if (settings.rule != UpdateRule::sgd)
    second_moments_ = StateArray(place, count, shape.moments, cut_);
  Buffer one(1, DataType::fp32);
  *one.floats() = 1.0F;
  one_ = place.bring(std::move(one));
  factor_ = place.zeroed(1, DataType::fp32);
  scale_.scale = settings.loss_scaling.initial;
  make_stretches();
  if (settings.rule != UpdateRule::lamb) return;
  directions_ = place.zeroed(count, DataType::fp32);
  tensor_norms_ = place.zeroed(2 * tensors_, DataType::fp32);
}

bool TrainingState::in_place() const {
  return weights_.type() == DataType::fp32 && shape_.weights == WeightHome::sections;
}

void TrainingState::make_stretches() {
  const std::vector<Section>& sections = weights_.layout().sections();
  std::vector<std::int64_t> first_tensor;
  for (const Section& section : sections) {
    first_tensor.push_back(tensors_);
    tensors_ += static_cast<std::int64_t>(section.tensors.size());
  }
  for (std::size_t number = 0; number < shares_.atoms().size(); ++number) {
    const auto place = static_cast<std::size_t>(shares_.atoms()[number].section);
    add_stretches(number, sections[place], first_tensor[place]);
  }
}

void TrainingState::add_stretches(std::size_t atom, const Section& section,
                                  std::int64_t first_tensor) {
  const FlatRange held = shares_.held(shares_.atoms()[atom]);
  for (const LocalTensor& tensor : section.tensors) {
    const std::int64_t number = first_tensor++;
    const Index begin = section.begin + tensor.offset;
    const FlatRange part = overlap(held, {begin, begin + tensor.count()});
    if (part.begin >= part.end) continue;
    const bool answers = tensor.held == Held::split || shape_.tensor_position == 0;
    stretches_.push_back({atom, part.begin - held.begin, part.end - part.begin,
                          tensor.matrix() ? settings_.weight_decay : 0.0F, counts(tensor), number,
                          answers});
  }
}

// Not a copy of what another rank counts.
bool TrainingState::counts(const LocalTensor& tensor) const {
  if (shape_.tied && tensor.weight == Weight::projection) return false;
  return tensor.held == Held::split || shape_.tensor_position == 0;
}

std::vector<FlatRange> TrainingState::counted() const {
  std::vector<FlatRange> ranges;
  for (const Section& section : weights_.layout().sections())
    for (const LocalTensor& tensor : section.tensors) {
      const Index begin = section.begin + tensor.offset;
      if (counts(tensor)) ranges.push_back({begin, begin + tensor.count()});
    }
  return ranges;
}

std::optional<Error> TrainingState::set_weights(const ParameterSource& source,
                                                const std::function<bool(int section)>& resident) {
  const std::vector<Section>& sections = weights_.layout().sections();
  for (std::size_t number = 0; number < sections.size(); ++number) {
    Buffer values(sections[number].count, DataType::fp32);
    if (auto wrong = fill(sections[number], source,
                          {values.floats(), static_cast<std::size_t>(values.count())}))
      return wrong;
    take_weights(static_cast<int>(number), place_.bring(std::move(values)),
                 resident(static_cast<int>(number)));
  }
  return std::nullopt;
}

void TrainingState::take_weights(int section, const Buffer& values, bool resident) {
  if (resident)
    place_.kernels().cast({values.count(), values.at(), weights_.weights(section).at()},
                          place_.stream());
  if (in_place()) return;
  for (const Atom& atom : shares_.atoms()) {
    if (atom.section != section) continue;
    const Index count = shares_.held(atom).count();
    if (count > 0 && !working_.empty())
      place_.kernels().cast({count, values.at(section_place(atom)), working_.at(atom.compact)},
                            place_.stream());
    for_each_home(atom, [&](Index offset, Index part) {
      place_.copy(master_home(atom, offset), values.floats(section_place(atom) + offset),
                  static_cast<std::size_t>(part) * sizeof(float));
    });
  }
}

// What this rank holds of an atom may begin among what is streamed and end behind it.
template <class Visit>
void TrainingState::for_each_home(const Atom& atom, const Visit& visit) const {
  const FlatRange held{atom.compact, atom.compact + shares_.held(atom).count()};
  const Index cut = std::clamp(cut_.streamed(), held.begin, held.end);
  for (const FlatRange& part : {FlatRange{held.begin, cut}, FlatRange{cut, held.end}})
    if (part.count() > 0) visit(part.begin - held.begin, part.count());
}

std::vector<KeptStretch> TrainingState::kept() {
  std::vector<KeptStretch> kept;
  for (std::size_t number = 0; number < shares_.atoms().size(); ++number) {
    const Atom& atom = shares_.atoms()[number];
    for_each_home(atom, [&](Index offset, Index count) {
      const Index element = atom.compact + offset;
      kept.push_back({static_cast<int>(number), atom.section, section_place(atom) + offset, count,
                      master_home(atom, offset), first_moments_.home(element),
                      second_moments_.empty() ? kernels::Tensor{} : second_moments_.home(element)});
    });
  }
  return kept;
}

void TrainingState::fetch(int piece) {
  for (StateArray* const array : {&master_, &first_moments_, &second_moments_})
    array->fetch(place_, piece);
}

void TrainingState::store(int piece) {
  for (StateArray* const array : {&master_, &first_moments_, &second_moments_})
    array->store(place_, piece);
}

void TrainingState::set_moments_zero() {
  first_moments_.set_zero(place_);
  second_moments_.set_zero(place_);
}

void TrainingState::begin_step() {
  place_.copy(factor_.floats(), one_.floats(), sizeof(float));
  overflow_ = Overflow::no;
  if (!gradients_.empty()) place_.zero(gradients_);
  // Backward's own buffers come when it needs them and go when they are sent.
  if (gradients_.empty()) weights_.clear_gradients();
}

void TrainingState::note(Overflow overflow) {
  overflow_ = overflow;
  const LossScaling& how = settings_.loss_scaling;
  if (overflow == Overflow::yes) {
    scale_ = {scale_.scale * how.backoff, 0};
  } else if (++scale_.steps_since_overflow == how.growth_interval) {
    scale_ = {scale_.scale * how.growth, 0};
  }
}

// This is the place, within the section, of what this rank holds.
Index TrainingState::section_place(const Atom& atom) const {
  return atom.section_offset + shares_.held(atom).begin - atom.flat.begin;
}

float* TrainingState::master_home(const Atom& atom, Index offset) {
  if (in_place()) return weights_.weights(atom.section).floats(section_place(atom) + offset);
  return static_cast<float*>(master_.home(atom.compact + offset).data);
}

float* TrainingState::master(const Atom& atom, Index offset) {
  if (in_place()) return master_home(atom, offset);
  return static_cast<float*>(master_.working(atom.compact + offset).data);
}

float* TrainingState::held_gradient(const Atom& atom) {
  return shape_.gradients == GradientHome::apart
             ? gradients_.floats(atom.compact)
             : weights_.gradients(atom.section).floats(section_place(atom));
}

kernels::ConstTensor TrainingState::shared_weights(const Atom& atom) {
  if (!working_.empty()) return working_.at(atom.compact);
  return master_.home(atom.compact);
}

void TrainingState::for_each_held(const FlatRange& range,
                                  const std::function<void(float*, Index, Index)>& visit) {
  for (const Atom& atom : shares_.atoms()) {
    const FlatRange held = shares_.held(atom);
    const FlatRange part = overlap(held, range);
    if (part.begin < part.end)
      visit(held_gradient(atom) + (part.begin - held.begin), part.begin - range.begin,
            part.end - part.begin);
  }
}

void TrainingState::for_each_local(const FlatRange& range,
                                   const std::function<void(float*, Index)>& visit) {
  const std::vector<Section>& sections = weights_.layout().sections();
  for (std::size_t number = 0; number < sections.size(); ++number) {
    const FlatRange part = overlap(range, {sections[number].begin, sections[number].end()});
    if (part.begin < part.end)
      visit(
          weights_.gradients(static_cast<int>(number)).floats(part.begin - sections[number].begin),
          part.end - part.begin);
  }
}

}  // namespace quintet::engine
