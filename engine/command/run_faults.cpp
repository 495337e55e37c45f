#include "engine/command/run_faults.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "engine/launch/rendezvous/rendezvous_socket.h"
#include "engine/train/step_log.h"
#include "sim/base/text_file.h"
#include "sim/json/json_value.h"
#include "sim/packing/packing.h"
#include "sim/topology/faults/never_come.h"
#include "sim/usage/shipped.h"

namespace quintet::engine {
namespace {

// Only cables are made; what lies inside a host has this machine's speed.
std::optional<Error> not_shaped(const Topology& topology, const FaultPlan& faults) {
  for (const Fault& fault : faults.faults) {
    if (fault.part.empty()) continue;
    const auto conditions = link_conditions(topology, {&fault, 1});
    if (!conditions) return Error{faults.file + ": " + text(fault), conditions.error().what};
    for (std::size_t link = 0; link < conditions->size(); ++link) {
      const Link& before = topology.links[link];
      const LinkCondition& after = (*conditions)[link];
      const bool changed =
          after.dead || after.rate != before.rate() || after.latency != before.latency;
      if (changed && before.kind != LinkKind::network)
        return Error{faults.file + ": " + text(fault),
                     "is inside a host, where links have this machine's speed; name a NIC, a cable "
                     "or a switch of the network"};
    }
  }
  return std::nullopt;
}

JsonValue events_of(const std::vector<InjectedFault>& faults) {
  JsonValue events = JsonValue::array();
  for (const InjectedFault& each : faults)
    events.push_back(
        {{"step", each.step}, {"into us", each.into_step.value * 1e6}, {"what", each.what}});
  return events;
}

}  // namespace

Result<std::optional<FaultPlan>> faults_asked(const RunArguments& arguments,
                                              const TrainingInputs& inputs) {
  if (arguments.faults.empty()) return std::optional<FaultPlan>{};
  const Result<std::filesystem::path> file = find_file(FileKind::faults, arguments.faults);
  if (!file) return Error{"--faults", file.error().text()};
  Result<FaultPlan> faults = read_faults(*file);
  if (!faults) return faults.error();
  const int ranks = world_size(inputs.plan.parallelism);
  if (auto error = misnamed(inputs.topology, *faults, ranks)) return *error;
  if (auto error = not_shaped(inputs.topology, *faults)) return *error;
  for (const std::string& remark : never_come(*faults, arguments.training.steps))
    fmt::print(stderr, "{}: {}\n", faults->file, remark);
  return std::optional<FaultPlan>{std::move(*faults)};
}

void hear(FaultInjector& injector, const std::string& line) {
  if (const std::optional<int> begins = beginning_of_line(line)) injector.step_begins(*begins);
  if (const std::optional<int> over = step_of_line(line)) injector.step_begins(*over + 1);
}

void keep(const InjectedFault& fault, const std::filesystem::path& log) {
  const std::string failed = fault.failure.empty() ? "" : ", which failed: " + fault.failure;
  fmt::print("Fault: {}, {:.1f} ms into step {}{}\n", fault.what, fault.into_step.value * 1e3,
             fault.step, failed);
  std::fflush(stdout);
  if (log.empty()) return;
  JsonValue record{{"record", "fault"},
                   {"step", fault.step},
                   {"into_step_s", fault.into_step.value},
                   {"at_s", fault.at.value},
                   {"what", fault.what}};
  if (!fault.failure.empty()) record["failure"] = fault.failure;
  const std::string line = record.dump() + "\n";
  const Descriptor file(open(log.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  [[maybe_unused]] const ssize_t written = write(file.number(), line.data(), line.size());
}

std::optional<Error> add_to_timeline(const std::vector<InjectedFault>& faults,
                                     const std::filesystem::path& timeline) {
  if (timeline.empty() || faults.empty()) return std::nullopt;
  const Bytes most{2e9};  // as traces are read (sim/timeline/chrome_trace)
  const Result<std::string> bytes = read_text_file(timeline, most);
  if (!bytes) return bytes.error();
  Result<std::string> trace = unpacked(*bytes, timeline.string(), most);
  if (!trace) return trace.error();
  const std::size_t end = trace->rfind('}');
  if (end == std::string::npos) return Error{timeline.string(), "is no trace any more"};
  trace->insert(end, ",\n\"quintetEvents\":" + events_of(faults).dump());
  std::ofstream file(timeline, std::ios::binary | std::ios::trunc);
  PackedStream packed(file, packing_of(timeline));
  packed << *trace;
  packed.finish();
  if (!packed || !file.flush()) return Error{timeline.string(), "cannot be written to any more"};
  return std::nullopt;
}

}  // namespace quintet::engine
