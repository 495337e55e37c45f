#include "sim/topology/faults/fault_file.h"

#include <fmt/format.h>

#include "sim/base/quantity_text.h"
#include "sim/base/text_file.h"
#include "sim/json/field_list.h"
#include "sim/topology/faults/fault_plan.h"

namespace quintet {

std::string_view name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::slow:
      return "slow";
    case FaultKind::delay:
      return "delay";
    case FaultKind::fail:
      return "fail";
    case FaultKind::back:
      return "back";
  }
  return {};
}

template <class File>
void fields(File& file, FaultEvent& event) {
  constexpr Between<int> steps{1, 1'000'000'000};
  file.required({"what",
                 "slow: a share of its rate (a rank: of its speed) is left; delay: so much more "
                 "latency; fail: it carries nothing; back: all that began before is over"},
                event.what);
  file.field(
      {"part", "a NIC, cable, switch, GPU or host, as --slow names it: host3/nic5, leaf0-spine1"},
      event.part);
  file.field({"rank", "in the place of part: the rank that computes slower"}, event.rank,
             Between{0, 1 << 24});
  file.field({"share",
              "slow: what is left, more than 0 and less than 1; of a rank: of a whole core or GPU"},
             event.share, Between{0.0, 1.0});
  file.field({"by", "delay: the latency added, such as \"20 ms\""}, event.by);
  file.field({"step", "from the beginning of this step, counted from 1"}, event.step, steps);
  file.field({"time", "so long after that step has begun; without step: after the first has"},
             event.time);
  file.field({"until_step", "to the beginning of this step; without an end it stays"},
             event.until_step, steps);
  file.field({"until_time", "so long after that step has begun; without step: after the first has"},
             event.until_time);
}

template <class File>
void fields(File& file, FaultFile& faults) {
  file.required({"name", "of the faults in reports"}, faults.name);
  file.field({"source", "where they come from: who measured or recorded them"}, faults.source);
  file.required({"events", "what happens, in any order"}, faults.events);
}

namespace {

FaultFile read_all(JsonObject& root) {
  FaultFile file;
  FieldReader reader(root);
  fields(reader, file);
  return file;
}

}  // namespace

Result<FaultPlan> parse_faults(const std::string& text, const std::string& where) {
  const Result<nlohmann::json> json = parse_json(text, where);
  if (!json) return json.error();
  JsonObject root(*json, where);
  const FaultFile file = read_all(root);
  if (!root.failed()) root.refuse_unknown_keys();
  if (root.failed()) return *root.error();
  return fault_plan(file, where);
}

Result<FaultPlan> read_faults(const std::filesystem::path& file) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.error();
  return parse_faults(*text, file.string());
}

FieldDescription fault_fields() {
  const FieldRecording recording = recorded([](FieldRecording& into) {
    JsonObject root(into);
    static_cast<void>(read_all(root));
  });
  return description_of(recording.root);
}

std::string text(const Fault& fault) {
  const std::string who = fault.part.empty() ? fmt::format("rank {}", fault.rank) : fault.part;
  switch (fault.kind) {
    case FaultKind::slow:
      return fmt::format("{} at {:.4g} % of its {}", who, 100 * fault.share,
                         fault.part.empty() ? "speed" : "rate");
    case FaultKind::delay:
      return fmt::format("{} later by {}", who, text(fault.by));
    case FaultKind::fail:
      return who + " failed";
    case FaultKind::back:
      break;
  }
  return who + " is back";
}

}  // namespace quintet
