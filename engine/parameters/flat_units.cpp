#include "engine/parameters/flat_units.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

namespace quintet::engine {

namespace {

const Body& body_of(const Program& program, const Call& call) {
  return program.bodies[call.body.index()];
}

Index elements(Bytes size, DataType type) {
  return std::llround(size / size_of(type));
}

// Of all phases of a collective over a hierarchy, in whatever order they come, the largest works on
// all of it.
Index largest_phase(const Body& body, const Collective& first) {
  Bytes size = first.size;
  for (const Instruction& instruction : body.instructions)
    if (const auto* const collective = std::get_if<Collective>(&instruction.action))
      if (collective->purpose == first.purpose) size = std::max(size, collective->size);
  return elements(size, first.type);
}

// Elements one iteration works on.
Index elements(const Body& body) {
  for (const Instruction& instruction : body.instructions) {
    if (const auto* const collective = std::get_if<Collective>(&instruction.action))
      return largest_phase(body, *collective);
    if (const auto* const compute = std::get_if<Compute>(&instruction.action))
      if (const auto* const memory = std::get_if<MemoryShape>(&compute->work.shape))
        return elements(memory->read, compute->work.type);
  }
  return 0;
}

UnitUse use_of_instruction(const Instruction& instruction, const Call& call) {
  if (const auto* const collective = std::get_if<Collective>(&instruction.action)) {
    if (collective->purpose == Purpose::gather_weights) return UnitUse::gather;
    const bool sums = collective->purpose == Purpose::sum_gradients ||
                      collective->purpose == Purpose::sum_between_shards;
    return sums ? UnitUse::exchange : UnitUse::other;
  }
  const auto* const compute = std::get_if<Compute>(&instruction.action);
  if (!compute || call.bucket < 0) return UnitUse::other;
  const OperatorKind kind = compute->work.kind;
  const bool prepares = kind == OperatorKind::gradient_scale || kind == OperatorKind::gradient_norm;
  return prepares ? UnitUse::prepare : UnitUse::other;
}

using BucketKey = std::pair<int, int>;  // chunk, bucket

class UnitReader {
 public:
  UnitReader(const Program& program, const Role& role, const ParameterLayout& layout)
      : program_(program), role_(role), layout_(layout) {}

  Result<FlatUnits> read() {
    measure_buckets();
    for (int number = 0; number < static_cast<int>(role_.script.calls.size()); ++number) {
      const Call& call = role_.script.calls[static_cast<std::size_t>(number)];
      if (auto wrong = place(number, call)) return std::move(*wrong);
    }
    return std::move(units_);
  }

 private:
  // A bucket is what one micro-batch's exchange of it sends.
  void measure_buckets() {
    std::map<BucketKey, std::set<int>> passes;
    for (const Call& call : role_.script.calls) {
      if (use_of(program_, call) != UnitUse::exchange) continue;
      const BucketKey key{call.chunk, call.bucket};
      passes[key].insert(call.micro_batch);
      if (passes[key].size() > 1) {
        units_.repeated = true;
        continue;
      }
      totals_[key] += call.layers * elements(body_of(program_, call));
    }
  }

  Index bucket_begin(const BucketKey& key) const {
    Index begin = layout_.chunk_begin(key.first);
    for (int bucket = 0; bucket < key.second; ++bucket)
      if (const auto found = totals_.find({key.first, bucket}); found != totals_.end())
        begin += found->second;
    return begin;
  }

  std::optional<Error> place(int number, const Call& call) {
    const UnitUse use = use_of(program_, call);
    if (use == UnitUse::other) return std::nullopt;
    const Index count = elements(body_of(program_, call));
    if (call.bucket < 0) return place_sections(number, call, count);
    for (int iteration = 0; iteration < call.layers; ++iteration)
      if (auto wrong = place_piece({number, iteration}, call, use, count)) return wrong;
    return std::nullopt;
  }

  // Weights of a layer; or of what is no layer.
  std::optional<Error> place_sections(int number, const Call& call, Index count) {
    FlatUnit unit;
    for (const Section& section : layout_.sections()) {
      const bool wanted = call.first_layer >= 0 ? section.layer == call.first_layer
                                                : section.layer < 0 && section.chunk == call.chunk;
      if (wanted) unit.push_back({section.begin, section.end()});
    }
    if (elements_of(unit) != count) return mismatch(call, elements_of(unit), count);
    units_.of_call[{number, 0}] = std::move(unit);
    return std::nullopt;
  }

  std::optional<Error> place_piece(const CallIteration& at, const Call& call, UnitUse use,
                                   Index count) {
    const BucketKey key{use == UnitUse::gather ? gathered_chunk(call) : call.chunk, call.bucket};
    const Index total = totals_[key];
    Index& sent = sent_[{key.first, key.second, call.micro_batch, use}];
    if (sent + count > total) return mismatch(call, total, sent + count);
    const Index begin = bucket_begin(key) + sent;
    if (begin + count > layout_.count()) return mismatch(call, layout_.count(), begin + count);
    units_.of_call[at] = {{begin, begin + count}};
    sent += count;
    return std::nullopt;
  }

  // Gathers of all buckets are no pass's, so that they do not say their chunk: they go chunk by
  // chunk, each from its last bucket to its first.
  int gathered_chunk(const Call& call) {
    const BucketKey current{chunk_, call.bucket};
    const bool full =
        call.bucket == bucket_ &&
        sent_[{chunk_, bucket_, call.micro_batch, UnitUse::gather}] == totals_[current];
    if (bucket_ >= 0 && (call.bucket > bucket_ || full)) ++chunk_;
    bucket_ = call.bucket;
    return chunk_;
  }

  Error mismatch(const Call& call, Index here, Index there) const {
    return {"program: " + role_.name + ": " + body_of(program_, call).name,
            "works on " + std::to_string(there) + " parameters, but this rank's part has " +
                std::to_string(here)};
  }

  const Program& program_;
  const Role& role_;
  const ParameterLayout& layout_;
  FlatUnits units_;
  std::map<BucketKey, Index> totals_;
  std::map<std::tuple<int, int, int, UnitUse>, Index> sent_;
  int chunk_ = 0, bucket_ = -1;
};

}  // namespace

Index elements_of(const FlatUnit& unit) {
  Index sum = 0;
  for (const FlatRange& range : unit) sum += range.end - range.begin;
  return sum;
}

UnitUse use_of(const Program& program, const Call& call) {
  for (const Instruction& instruction : body_of(program, call).instructions)
    if (const UnitUse use = use_of_instruction(instruction, call); use != UnitUse::other)
      return use;
  return UnitUse::other;
}

Result<FlatUnits> flat_units(const Program& program, const Role& role,
                             const ParameterLayout& layout) {
  return UnitReader(program, role, layout).read();
}

std::set<Index> cuts_of(const FlatUnits& units) {
  std::set<Index> cuts;
  for (const auto& [call, unit] : units.of_call)
    for (const FlatRange& range : unit) {
      cuts.insert(range.begin);
      cuts.insert(range.end);
    }
  return cuts;
}

}  // namespace quintet::engine
