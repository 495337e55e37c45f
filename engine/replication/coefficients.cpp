// DeMo's part of a replicator: chunks, their largest coefficients, and the mean of all replicas'.
//
// A replica's part of what is gathered is the values of all its tensors' chunks, then their
// positions.
#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/replication/replication.h"

namespace quintet::engine {

namespace {

kernels::Chunks chunks_of(const ChunkedTensor& tensor) {
  return {tensor.shape.rows, tensor.shape.columns, tensor.chunk_rows, tensor.chunk_columns};
}

// visit(tensor, first element of the line, first coefficient that is sent).
template <class Visit>
void for_tensors(const ReplicatedUnit& cut, const Visit& visit) {
  Index place = 0, sent = 0;
  for (const ChunkedTensor& tensor : cut.tensors) {
    visit(tensor, place, sent);
    place += tensor.shape.count();
    sent += tensor.chunks() * tensor.kept;
  }
}

std::int32_t* numbers(Buffer& positions, Index first = 0) {
  return reinterpret_cast<std::int32_t*>(positions.bytes(first, 0).data());
}

}  // namespace

void Replication::transform(Unit& unit, kernels::CosineDirection direction, const Buffer& from,
                            Buffer& to) {
  if (to.empty()) to = place_.make(unit.own.cut.elements, DataType::fp32);
  for_tensors(unit.own.cut, [&](const ChunkedTensor& tensor, Index place, Index) {
    cosines().cosine_transform({direction, chunks_of(tensor), from.floats(place), to.floats(place)},
                               stream());
  });
}

// What is kept here of the coefficients is what is sent, in its type.
void Replication::choose_coefficients(Unit& unit) {
  const Index count = sent(unit);
  Buffer values = place_.make(count, DataType::fp32);
  unit.positions = place_.make(count, DataType::int32);
  for_tensors(unit.own.cut, [&](const ChunkedTensor& tensor, Index place, Index first) {
    cosines().largest_coefficients(
        {tensor.chunks(), tensor.chunk_size(), tensor.kept, unit.coefficients.floats(place),
         numbers(unit.positions, first), values.floats(first)},
        stream());
  });
  Buffer sent_values = std::move(values);
  if (value_type() != DataType::fp32) {
    Buffer narrow = place_.make(count, value_type());
    place_.kernels().cast({count, std::as_const(sent_values).at(), narrow.at()}, stream());
    place_.kernels().cast({count, std::as_const(narrow).at(), sent_values.at()}, stream());
    write_sent(unit, narrow);
  } else {
    write_sent(unit, sent_values);
  }
  keep_sent(unit, sent_values);
  unit.positions = {};
}

void Replication::keep_sent(Unit& unit, const Buffer& values) {
  for_tensors(unit.own.cut, [&](const ChunkedTensor& tensor, Index place, Index first) {
    cosines().mean_of_coefficients(
        {tensor.chunks(), tensor.chunk_size(), tensor.kept, 1, numbers(unit.positions, first),
         values.floats(first), unit.coefficients.floats(place)},
        stream());
  });
}

void Replication::write_sent(Unit& unit, const Buffer& values) {
  const Index count = values.count(), width = index_width();
  const auto size = static_cast<Index>(sent_bytes(unit.own.cut, input_.replicator).value);
  unit.exchanged = place_.make(size * input_.place.replicas, DataType::int8);
  std::byte* const mine = unit.exchanged.bytes(size * input_.place.position, size).data();
  const auto bytes = values.bytes();
  place_.copy(mine, bytes.data(), bytes.size());
  Buffer packed = place_.make(count * width, DataType::int8);
  kernels().pack_positions({count, index_width(), numbers(unit.positions), packed.bytes().data()},
                           stream());
  place_.copy(mine + bytes.size(), packed.bytes().data(), packed.bytes().size());
}

void Replication::keep_rest(Unit& unit) {
  kernels().subtract({unit.momentum.count(), unit.line.floats(), unit.momentum.floats()}, stream());
  for (const FlatRange& gap : unit.own.gaps())
    place_.zero(unit.momentum.floats(gap.begin),
                static_cast<std::size_t>(gap.count()) * sizeof(float));
  unit.line = {};
}

void Replication::mean_coefficients(Unit& unit) {
  const Buffer gathered = std::exchange(unit.exchanged, {});
  const Index count = sent(unit), senders = input_.place.replicas;
  const Index value_size = static_cast<Index>(size_of(value_type()).value);
  const Index size = count * (value_size + index_width());
  for_tensors(unit.own.cut, [&](const ChunkedTensor& tensor, Index place, Index first) {
    const Index here = tensor.chunks() * tensor.kept;
    Buffer values = place_.make(here * senders, value_type());
    Buffer packed = place_.make(here * senders * index_width(), DataType::int8);
    for (Index sender = 0; sender < senders; ++sender) {
      const std::byte* const from = gathered.bytes().data() + sender * size;
      const auto to = values.bytes(sender * here, here);
      place_.copy(to.data(), from + first * value_size, to.size());
      const auto at = packed.bytes(sender * here * index_width(), here * index_width());
      place_.copy(at.data(), from + count * value_size + first * index_width(), at.size());
    }
    Buffer positions = place_.make(here * senders, DataType::int32);
    kernels().unpack_positions(
        {here * senders, index_width(), packed.bytes().data(), numbers(positions)}, stream());
    if (value_type() != DataType::fp32) {
      Buffer wide = place_.make(here * senders, DataType::fp32);
      place_.kernels().cast({wide.count(), std::as_const(values).at(), wide.at()}, stream());
      values = std::move(wide);
    }
    cosines().mean_of_coefficients(
        {tensor.chunks(), tensor.chunk_size(), tensor.kept, senders, numbers(positions),
         values.floats(), unit.coefficients.floats(place)},
        stream());
  });
}

}  // namespace quintet::engine
