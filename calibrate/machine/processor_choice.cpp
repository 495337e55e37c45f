#include "calibrate/machine/processor_choice.h"

#include <algorithm>

#include "engine/device/gpu_module.h"

namespace quintet::calibrate {

Processor processor_of(const std::string& device) {
  return device == "gpu" ? Processor::gpu : Processor::cpu;
}

std::optional<Error> other_ranks(const Topology& topology, Processor processor) {
  const DeviceKind wanted = processor == Processor::gpu ? DeviceKind::gpu : DeviceKind::cpu;
  const std::vector<DeviceId> slots = rank_slots(topology);
  const auto other = std::find_if(slots.begin(), slots.end(), [&](DeviceId slot) {
    return topology.device(slot).kind != wanted;
  });
  if (other == slots.end()) return std::nullopt;
  const bool gpu = processor == Processor::gpu;
  return Error{"--topology", topology.name + " has a rank on " + topology.device(*other).name +
                                 ", which is no " + (gpu ? "GPU" : "processor core") +
                                 "; with --device " + (gpu ? "gpu" : "cpu") +
                                 " a machine is accepted whose ranks all are, such as " +
                                 (gpu ? "h200-1" : "box-4-1gbit")};
}

std::optional<Error> missing_gpu(Processor processor) {
  if (processor == Processor::cpu) return std::nullopt;
  const Result<int> gpus = engine::found_gpus();
  return gpus ? std::nullopt : std::optional(Error{"--device gpu", gpus.error().text()});
}

}  // namespace quintet::calibrate
