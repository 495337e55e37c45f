#include "sim/parallelism/replication/replicator_operators.h"

#include <cmath>

#include "sim/model/update_operators.h"

namespace quintet {

namespace {

constexpr double single = 4;  // bytes of fp32

class Made {
 public:
  Made(const ReplicatedUnit& unit, const ReplicatorWork& work)
      : unit_(unit),
        work_(work),
        sent_(static_cast<double>(sent_elements(unit, work.replicator))),
        all_(static_cast<double>(unit.elements)) {}

  void memory(Computation which, double read, double written) {
    made_.push_back({which, Phase::update, DataType::fp32,
                     MemoryShape{.read = Bytes{read}, .written = Bytes{written}},
                     multi_tensor_kernels(unit_.elements)});
  }
  // Two products with a basis: 2 (rows + columns) FLOPs per element of a chunk, one of them where
  // a chunk is a line. As one product of the plan's chunk length with as many rows as make them up.
  void transform(Computation which) {
    double flops = 0;
    for (const ChunkedTensor& tensor : unit_.tensors) {
      const std::int64_t lengths =
          tensor.chunk_columns + (tensor.chunk_rows > 1 ? tensor.chunk_rows : 0);
      flops += 2.0 * static_cast<double>(tensor.shape.count() * lengths);
    }
    const std::int64_t length = work_.replicator.chunk;
    const double of_row = 2.0 * static_cast<double>(length * length);
    const auto rows = static_cast<std::int64_t>(std::ceil(flops / of_row));
    made_.push_back({which, Phase::update, work_.product,
                     GemmShape{.m = std::max<std::int64_t>(1, rows), .n = length, .k = length}, 1});
  }
  void add_to_momentum() { memory(Computation::momentum_add, 2 * single * all_, single * all_); }

  double all() const { return single * all_; }
  double chosen() const { return single * sent_; }
  double wire() const { return sent_bytes(unit_, work_.replicator).value; }
  double values() const { return size_of(work_.replicator.value_type).value * sent_; }
  std::vector<Operator> take() && { return std::move(made_); }

 private:
  const ReplicatedUnit& unit_;
  const ReplicatorWork& work_;
  const double sent_, all_;
  std::vector<Operator> made_;
};

}  // namespace

std::vector<Operator> choice_operators(const ReplicatedUnit& unit, const ReplicatorWork& work) {
  Made made(unit, work);
  switch (work.replicator.kind) {
    case ReplicatorKind::demo:
      made.add_to_momentum();
      made.transform(Computation::chunk_transform);
      made.memory(Computation::coefficient_choice, made.all(), made.all() + made.wire());
      made.transform(Computation::chunk_inverse);
      made.memory(Computation::momentum_rest, 2 * made.all(), made.all());
      break;
    case ReplicatorKind::random:
    case ReplicatorKind::striding:
      made.add_to_momentum();
      made.memory(Computation::element_choice, made.chosen(), made.chosen() + made.values());
      break;
    case ReplicatorKind::full:
      made.memory(Computation::element_choice, made.chosen(), made.values());
      break;
    case ReplicatorKind::diloco:
      made.memory(Computation::outer_difference, 2 * made.all(), made.values());
      break;
    case ReplicatorKind::none:
      break;
  }
  return std::move(made).take();
}

std::vector<Operator> merge_operators(const ReplicatedUnit& unit, const ReplicatorWork& work) {
  Made made(unit, work);
  switch (work.replicator.kind) {
    case ReplicatorKind::demo:
      made.memory(Computation::coefficient_mean, work.replicas * made.wire(), made.all());
      made.transform(Computation::merged_inverse);
      made.memory(Computation::merged_gradient, made.all(), made.all());
      break;
    case ReplicatorKind::random:
    case ReplicatorKind::striding:
    case ReplicatorKind::full:
      made.memory(Computation::element_merge, made.values(), made.all());
      break;
    case ReplicatorKind::diloco:
      made.memory(Computation::outer_step, made.values() + 2 * made.all(), 3 * made.all());
      break;
    case ReplicatorKind::none:
      break;
  }
  return std::move(made).take();
}

Bytes kept_per_parameter(const Replicator& replicator) {
  if (keeps_momentum(replicator.kind)) return Bytes{single};
  return Bytes{replicator.kind == ReplicatorKind::diloco ? 2 * single : 0};
}

}  // namespace quintet
