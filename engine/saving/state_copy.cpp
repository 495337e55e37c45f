#include "engine/saving/state_copy.h"

#include <cstring>
#include <stdexcept>

#include "engine/saving/float8_state.h"
#include "engine/saving/stored_elements.h"

namespace quintet::engine {

namespace {

// Large enough for the full rate of a host's bus, small beside a rank's state.
constexpr std::size_t piece_of_copies = std::size_t{32} << 20;

// Ranks with the same share take turns.
bool answers_for(const CopyPlace& mine, const KeptStretch& kept) {
  return kept.atom % mine.copies == mine.position;
}

// Where they differ, each tells of its own, but of weights that are asked for alone.
bool tells_all(const RankExecutor& executor, Contents contents) {
  return lets_replicas_differ(executor.input().plan.parallelism.replicator) &&
         (contents == Contents::weights_and_moments || executor.copy_place().position == 0);
}

}  // namespace

std::unique_ptr<PinnedFetch> way_of_copies(RankExecutor& executor) {
  kernels::Device* const device = executor.place().device();
  return device ? std::make_unique<PinnedFetch>(*device, piece_of_copies) : nullptr;
}

StateCopy::StateCopy(RankExecutor& executor, Contents contents, PinnedFetch* way) : way_(way) {
  const CopyPlace mine = executor.copy_place();
  const bool differ = lets_replicas_differ(executor.input().plan.parallelism.replicator);
  for (const KeptStretch& kept : executor.state().kept()) {
    const Section& section = executor.layout().sections()[static_cast<std::size_t>(kept.section)];
    const std::vector<HeldPart> parts = held_parts(section, kept.place, kept.count);
    replica_ = mine.position;
    if (contents == Contents::weights_and_moments) add_replicator(executor, kept, parts);
    if (differ ? !tells_all(executor, contents) : !answers_for(mine, kept)) continue;
    replica_ = differ ? mine.position : 0;
    add(StateKind::master_weight, kept.weights, kept.count, parts);
    if (contents == Contents::weights) continue;
    add(StateKind::first_moment, kept.first_moments, kept.count, parts);
    add(StateKind::second_moment, kept.second_moments, kept.count, parts);
  }
  if (contents == Contents::weights_and_moments) add_float8_rows(executor);
  executor.state().wait_for_reader(taken_.get_future());
}

void StateCopy::add(StateKind kind, const kernels::ConstTensor& memory, Index count,
                    const std::vector<HeldPart>& parts) {
  if (memory.data == nullptr) return;
  for (const HeldPart& part : parts) {
    if (part.holding == Holding::copy) continue;
    pieces_.push_back({name_of_replica(replica_, state_name(kind, part.tensor.name)),
                       stored_type(memory.type), part.tensor.shape, part.box});
    parts_.push_back({stretches_.size(), part});
  }
  stretches_.push_back({memory, count, {}});
}

// Each replica has its own.
void StateCopy::add_replicator(RankExecutor& executor, const KeptStretch& kept,
                               const std::vector<HeldPart>& parts) {
  const KeptByReplicator beside = executor.replication().kept(kept.element);
  add(StateKind::replica_momentum, beside.momentum, kept.count, parts);
  add(StateKind::outer_anchor, beside.anchor, kept.count, parts);
  add(StateKind::outer_velocity, beside.velocity, kept.count, parts);
}

// These are few, and copied at once.
void StateCopy::add_float8_rows(RankExecutor& executor) {
  for (Float8Row& row : float8_rows(executor)) {
    pieces_.push_back(std::move(row.piece));
    histories_.push_back(std::move(row.history));
  }
}

std::optional<Error> StateCopy::take_copies() try {
  for (Stretch& stretch : stretches_) {
    stretch.copy = Buffer(memory_, stretch.count, data_type(stretch.memory.type));
    const std::span<std::byte> bytes = stretch.copy.bytes();
    const auto* const from = static_cast<const std::byte*>(stretch.memory.data);
    if (way_)
      way_->fetch(bytes.data(), from, bytes.size());
    else
      std::memcpy(bytes.data(), from, bytes.size());
  }
  taken_.set_value();
  return std::nullopt;
} catch (const std::runtime_error& failure) {
  taken_.set_value();
  return Error{"device", failure.what()};
} catch (const std::bad_alloc&) {
  taken_.set_value();
  return Error{"", "there is no memory for a copy of weights and moments"};
}

void StateCopy::put_content(std::size_t piece, std::span<std::byte> content) {
  if (piece >= parts_.size()) {
    std::memcpy(content.data(), histories_[piece - parts_.size()].data(), content.size());
    return;
  }
  const PartOfStretch& part = parts_[piece];
  Stretch& stretch = stretches_[part.stretch];
  with_elements(stretch.copy.at(), [&]<class Element>(const Element* elements) {
    take_out(part.part, elements,
             {reinterpret_cast<Element*>(content.data()), content.size() / sizeof(Element)});
  });
}

}  // namespace quintet::engine
