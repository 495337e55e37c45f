#include "calibrate/command/measuring_place.h"

#include <fmt/format.h>

#include "calibrate/device/device_costs.h"
#include "calibrate/machine/this_machine.h"
#include "calibrate/probes/training_run.h"

namespace quintet::calibrate {

std::string where_and_when(const Gpu& gpu) {
  return (gpu ? device_text(*gpu) + ", " : "") + where_and_when();
}

std::string conditions_of(const CalibrateArguments& arguments, const Topology& topology,
                          const ProbeRange& range, const Gpu& gpu) {
  if (gpu) return fmt::format("{}, {} ranks, {}", device_text(*gpu), range.ranks, topology.name);
  return fmt::format("{}, {} kernels, {} ranks on {} cores, {}{}", processor_name(),
                     arguments.kernels, range.ranks, arguments.cores, topology.name,
                     namespaces_allowed() ? "" : " without namespaces");
}

std::string journal_of(const CalibrateArguments& arguments) {
  return arguments.journal.empty() ? arguments.output + ".journal" : arguments.journal;
}

}  // namespace quintet::calibrate
