#include "sim/command/report_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "sim/model/parameters.h"

namespace quintet {
namespace {

// "70.554 billion"
std::string count_text(std::int64_t count) {
  if (count >= 1'000'000'000)
    return fmt::format("{:.3f} billion", static_cast<double>(count) / 1e9);
  if (count >= 1'000'000) return fmt::format("{:.3f} million", static_cast<double>(count) / 1e6);
  return fmt::format("{}", count);
}

bool several_kinds(const Topology& topology) {
  return std::any_of(topology.gpu_specs.begin(), topology.gpu_specs.end(),
                     [&](const GpuSpec& gpu) { return gpu.name != topology.gpu_specs[0].name; });
}

}  // namespace

std::string counted(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

ReportInput report_header(const Inputs& inputs) {
  const Topology& topology = inputs.topology;
  ReportInput report;
  report.model = fmt::format("{}, {} parameters", inputs.model.name,
                             count_text(total_parameters(inputs.model)));
  report.topology =
      several_kinds(topology)
          ? fmt::format("{}: {} on {}", topology.name, hosts_text(topology),
                        counted(topology.hosts.size(), "host"))
          : fmt::format("{}: {} x {} on {}", topology.name, rank_slots(topology).size(),
                        topology.gpu_specs.empty() ? "CPU" : topology.gpu_specs.front().name,
                        counted(topology.hosts.size(), "host"));
  for (const CostTable* const table : all_tables(inputs.costs))
    report.costs += (report.costs.empty() ? "" : "; ") + table->name;
  report.faults = topology.faults;
  report.stack = inputs.stack;
  for (const RefusedPlan& refused : inputs.refused)
    report.bad.push_back({refused.file, refused.error});
  return report;
}

}  // namespace quintet
