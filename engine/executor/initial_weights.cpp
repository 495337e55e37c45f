#include "engine/executor/initial_weights.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/counter_random.h"

namespace quintet::engine {

namespace {

// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/): a stream per name.
std::uint64_t stream_of(const std::string& name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  return hash;
}

// Normals by index; neighbours share a block of four.
class NormalStream {
 public:
  explicit NormalStream(const RandomStream& from) : from_(from) {}

  float at(Index index) {
    const auto place = static_cast<std::uint64_t>(index);
    if (place / 4 != block_) {
      block_ = place / 4;
      normals_ = random_normals(from_, block_);
    }
    return normals_[place % 4];
  }

 private:
  RandomStream from_;
  std::uint64_t block_ = ~std::uint64_t{0};
  std::array<float, 4> normals_{};
};

void fill_normal(const LocalTensor& tensor, const GlobalPart& part, const Initialisation& how,
                 double deviation, std::span<float> values) {
  NormalStream normals({how.seed, stream_of(part.name)});
  const auto factor = static_cast<float>(deviation);
  for (Index row = 0; row < part.rows && part.first_row + row < part.global_rows; ++row)
    for (Index column = 0; column < part.columns; ++column) {
      const Index place = (part.first_row + row) * part.global_columns + part.first_column + column;
      const Index local = row * tensor.columns + part.local_column + column;
      values[static_cast<std::size_t>(local)] = factor * normals.at(place);
    }
}

void fill_tensor(const LocalTensor& tensor, const Initialisation& how, std::span<float> values) {
  const double after_residual = how.deviation / std::sqrt(2.0 * how.layers);
  switch (tensor.initial) {
    case InitialValue::zero:
      return;
    case InitialValue::one:
      std::fill(values.begin(), values.end(), 1.0F);
      return;
    case InitialValue::normal:
    case InitialValue::normal_after_residual:
      const bool scaled = tensor.initial == InitialValue::normal_after_residual;
      for (const GlobalPart& part : tensor.parts)
        fill_normal(tensor, part, how, scaled ? after_residual : how.deviation, values);
      return;
  }
}

}  // namespace

void fill_initial(const Section& section, const Initialisation& how, std::span<float> values) {
  std::fill(values.begin(), values.end(), 0.0F);
  for (const LocalTensor& tensor : section.tensors)
    fill_tensor(tensor, how,
                values.subspan(static_cast<std::size_t>(tensor.offset),
                               static_cast<std::size_t>(tensor.count())));
}

}  // namespace quintet::engine
