// What each delivery is, a row each. Whoever predicts, refuses or obeys a delivery asks its row and
// names none. To add one: its name in Delivery (host_net.h), its row in delivery.cpp.
#pragma once

#include <span>
#include <string_view>

#include "sim/plan/host_net.h"

namespace quintet {

// The memory that a NIC reads and writes.
enum class WireMemory { gpu, host };

// Who drives it: communication kernels on the GPU's SMs, or CPU processes in their place.
enum class Driver { kernels, delegates };

struct DeliveryRow {
  std::string_view name;  // the word of plan.json
  WireMemory memory = WireMemory::gpu;
  Driver driver = Driver::kernels;
};

// In the order of the enumerators.
std::span<const DeliveryRow> delivery_rows();
const DeliveryRow& row_of(Delivery delivery);

struct Plan;
// The delegates of a plan that send messages between its stages, of each kind and direction; 0: the
// GPU's kernels do, or there is one stage.
int stage_delegates(const Plan& plan);

}  // namespace quintet
