#include "engine/files/weights/initial_values.h"

#include <algorithm>
#include <cassert>

#include "engine/files/storage/counter_random.h"
#include "engine/files/storage/hash64.h"

namespace quintet {
namespace {

struct Normal {
  RandomStream stream;
  float deviation;
};

// Elements first, first + 1, ... of the tensor.
void fill_run(const Normal& normal, std::uint64_t first, std::span<float> values) {
  std::size_t done = 0;
  while (done < values.size()) {
    const std::uint64_t index = first + done;
    const std::array<float, 4> block = random_normals(normal.stream, index / 4);
    const std::size_t from = index % 4, count = std::min(4 - from, values.size() - done);
    for (std::size_t i = 0; i < count; ++i) values[done + i] = normal.deviation * block[from + i];
    done += count;
  }
}

void fill_normal(const ParameterTensor& tensor, const Box& box, const Normal& normal,
                 std::span<float> values) {
  const bool matrix = tensor.shape.size() == 2;
  const std::int64_t columns = matrix ? tensor.shape[1] : 1;
  const std::int64_t first_column = matrix ? box.offset[1] : 0;
  // Whole rows lie one after the other.
  const bool whole_rows = !matrix || box.shape[1] == columns;
  const std::int64_t runs = whole_rows ? 1 : box.shape[0];
  const std::size_t length =
      values.size() / static_cast<std::size_t>(std::max<std::int64_t>(1, runs));
  for (std::int64_t run = 0; run < runs; ++run)
    fill_run(normal, static_cast<std::uint64_t>((box.offset[0] + run) * columns + first_column),
             values.subspan(static_cast<std::size_t>(run) * length, length));
}

}  // namespace

void initial_values(const ParameterTensor& tensor, const Box& box, std::uint64_t seed,
                    std::span<float> values) {
  assert(lies_in(box, tensor.shape) && tensor.shape.size() <= 2);
  assert(static_cast<std::int64_t>(values.size()) == elements(box.shape));
  switch (tensor.fill) {
    case Fill::zeros:
      return std::fill(values.begin(), values.end(), 0.0f);
    case Fill::ones:
      return std::fill(values.begin(), values.end(), 1.0f);
    case Fill::normal:
      return fill_normal(
          tensor, box,
          {{seed, hash64(std::string_view(tensor.name))}, static_cast<float>(tensor.deviation)},
          values);
  }
}

}  // namespace quintet
