#include "sim/plan/delivery.h"

#include "sim/plan/plan.h"

#include <array>
#include <cstddef>

namespace quintet {

namespace {

// In the order of the enumerators.
constexpr std::array rows{
    DeliveryRow{"direct", WireMemory::gpu, Driver::kernels},
    DeliveryRow{"staged", WireMemory::host, Driver::kernels},
    DeliveryRow{"delegated", WireMemory::host, Driver::delegates},
};

}  // namespace

std::span<const DeliveryRow> delivery_rows() {
  return rows;
}

const DeliveryRow& row_of(Delivery delivery) {
  return rows.at(static_cast<std::size_t>(delivery));
}

std::string_view name_of(Delivery delivery) {
  return static_cast<std::size_t>(delivery) < rows.size() ? row_of(delivery).name : "";
}

int stage_delegates(const Plan& plan) {
  const Delivery delivery = plan.host_net.pipeline_delivery.value_or(plan.host_net.delivery);
  const bool delegated =
      plan.parallelism.pipeline > 1 && row_of(delivery).driver == Driver::delegates;
  return delegated ? plan.host_net.delegates : 0;
}

}  // namespace quintet
