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
  numbers_ = place.make(sizeof(kernels::UpdateNumbers) / sizeof(float), DataType::fp32);
  kernels::UpdateNumbers numbers;
  numbers.loss_scale = numbers.scaled_by = settings.loss_scaling.initial;
  set_numbers(numbers);
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

// In the section: what its weights are there for, or else what is kept of them.
std::vector<FlatRange> TrainingState::wanted(int section, bool resident) const {
  if (resident) return {{0, weights_.layout().sections()[static_cast<std::size_t>(section)].count}};
  std::vector<FlatRange> ranges;
  for (const Atom& atom : shares_.atoms()) {
    const FlatRange held = shares_.held(atom);
    if (atom.section == section && held.begin < held.end)
      ranges.push_back({section_place(atom), section_place(atom) + held.end - held.begin});
  }
  return ranges;
}

std::optional<Error> TrainingState::set_weights(const Filling& how, const Residents& resident) {
  await_reader();
  const std::vector<Section>& sections = weights_.layout().sections();
  std::vector<SlicePlace> slices;
  Index longest = 0;
  for (int number = 0; number < static_cast<int>(sections.size()); ++number)
    for (const FlatRange& range : wanted(number, resident(number)))
      for (Index place = range.begin; place < range.end; place += how.slice) {
        const Index count = std::min(how.slice, range.end - place);
        slices.push_back({number, place, count, resident(number)});
        longest = std::max(longest, count);
      }
  const bool straight = in_place() && !place_.on_device();
  SliceWay way(place_, straight ? 0 : longest);
  for (const SlicePlace& slice : slices)
    if (auto wrong = set_slice(slice, how, way)) return wrong;
  return std::nullopt;
}

// Where kernels read what the host writes, in the same type, it is written there at once.
std::optional<Error> TrainingState::set_slice(const SlicePlace& slice, const Filling& how,
                                              SliceWay& way) {
  const Section& section = weights_.layout().sections()[static_cast<std::size_t>(slice.section)];
  const bool straight = in_place() && !place_.on_device();
  const std::span<float> room = straight
                                    ? std::span(weights_.weights(slice.section).floats(slice.place),
                                                static_cast<std::size_t>(slice.count))
                                    : way.room(slice.count);
  if (auto wrong = fill(section, slice.place, room, how)) return wrong;
  if (!straight) take_slice(slice, way.sent());
  return std::nullopt;
}

void TrainingState::take_slice(const SlicePlace& slice, Buffer& values) {
  if (slice.resident)
    place_.kernels().cast(
        {slice.count, std::as_const(values).at(), weights_.weights(slice.section).at(slice.place)},
        place_.stream());
  if (in_place()) return;
  for (const Atom& atom : shares_.atoms()) {
    if (atom.section != slice.section) continue;
    const FlatRange held = shares_.held(atom);
    const Index begin = section_place(atom);
    const FlatRange part =
        overlap({begin, begin + held.end - held.begin}, {slice.place, slice.place + slice.count});
    if (part.begin < part.end)
      take_share(atom, {part.begin - begin, part.end - begin},
                 std::as_const(values).at(part.begin - slice.place));
  }
}

// `held` is the place within what this rank holds of the atom.
void TrainingState::take_share(const Atom& atom, const FlatRange& held,
                               kernels::ConstTensor values) {
  const auto* const floats = static_cast<const float*>(values.data);
  if (!working_.empty())
    place_.kernels().cast({held.count(), values, working_.at(atom.compact + held.begin)},
                          place_.stream());
  for_each_home(atom, held, [&](Index offset, Index count) {
    place_.copy(master_home(atom, offset), floats + (offset - held.begin),
                static_cast<std::size_t>(count) * sizeof(float));
  });
}

void TrainingState::clear_weights(const Residents& resident) {
  for (int number = 0; number < static_cast<int>(weights_.layout().sections().size()); ++number)
    if (resident(number)) place_.zero(weights_.weights(number));
  master_.set_zero(place_);
  if (!working_.empty()) place_.zero(working_);
}

// What this rank holds of an atom may begin among what is streamed and end behind it.
template <class Visit>
void TrainingState::for_each_home(const Atom& atom, const FlatRange& held,
                                  const Visit& visit) const {
  const Index cut = std::clamp(cut_.streamed() - atom.compact, held.begin, held.end);
  for (const FlatRange& part : {FlatRange{held.begin, cut}, FlatRange{cut, held.end}})
    if (part.count() > 0) visit(part.begin, part.count());
}

std::vector<KeptStretch> TrainingState::kept() {
  std::vector<KeptStretch> kept;
  for (std::size_t number = 0; number < shares_.atoms().size(); ++number) {
    const Atom& atom = shares_.atoms()[number];
    for_each_home(atom, {0, shares_.held(atom).count()}, [&](Index offset, Index count) {
      const Index element = atom.compact + offset;
      kept.push_back({static_cast<int>(number), atom.section, section_place(atom) + offset, count,
                      element, master_home(atom, offset), first_moments_.home(element),
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

std::int64_t TrainingState::next_update() {
  return (place_.on_device() ? begun_ : updates()) + 1;
}

void TrainingState::begin_step() {
  ++begun_;
  place_.copy(factor_.floats(), one_.floats(), sizeof(float));
  if (!gradients_.empty()) place_.zero(gradients_);
  // Backward's own buffers come when it needs them and go when they are sent.
  if (gradients_.empty()) weights_.clear_gradients();
}

kernels::UpdateNumbers TrainingState::numbers() {
  kernels::UpdateNumbers numbers;
  place_.fetch(&numbers, live_numbers(), sizeof numbers);
  return numbers;
}

void TrainingState::set_numbers(const kernels::UpdateNumbers& numbers) {
  place_.send(live_numbers(), &numbers, sizeof numbers);
}

void TrainingState::set_updates(std::int64_t updates) {
  kernels::UpdateNumbers changed = numbers();
  changed.updates = begun_ = updates;
  set_numbers(changed);
}

TrainingState::Scale TrainingState::loss_scale() {
  const kernels::UpdateNumbers now = numbers();
  return {now.loss_scale, now.steps_since_overflow};
}

void TrainingState::set_loss_scale(const Scale& scale) {
  kernels::UpdateNumbers changed = numbers();
  changed.loss_scale = changed.scaled_by = scale.scale;
  changed.steps_since_overflow = scale.steps_since_overflow;
  set_numbers(changed);
}

const double* TrainingState::live_loss_scale() {
  return settings_.loss_scaling.on() ? &live_numbers()->loss_scale : nullptr;
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
