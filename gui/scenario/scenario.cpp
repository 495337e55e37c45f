#include "gui/scenario/scenario.h"

#include <fmt/format.h>

#include <algorithm>

namespace quintet::gui {

namespace {

// "leaf0-spine1=0.5" begins with "leaf0-spine1=".
bool is_of(const std::string& entry, std::string_view part) {
  return entry.size() > part.size() && entry.starts_with(part) && entry[part.size()] == '=';
}

std::optional<std::string> value_of(const std::vector<std::string>& entries,
                                    std::string_view part) {
  for (const std::string& entry : entries)
    if (is_of(entry, part)) return entry.substr(part.size() + 1);
  return std::nullopt;
}

double share_of(const std::string& text) {
  const double number = std::stod(text);
  return text.ends_with('%') ? number / 100.0 : number;
}

std::string last_word(std::string_view path) {
  return std::string(path.substr(path.rfind('.') + 1));
}

void tell(std::string& text, const std::string& phrase) {
  text += (text.empty() ? "" : ", ") + phrase;
}

void tell_file(std::string& text, const char* what, const std::string& now,
               const std::string& before) {
  if (now != before) tell(text, fmt::format("{} {}", what, now.empty() ? "as usual" : now));
}

void tell_faults(std::string& text, const std::vector<std::string>& now,
                 const std::vector<std::string>& before, const char* how) {
  for (const std::string& entry : now)
    if (std::find(before.begin(), before.end(), entry) == before.end()) tell(text, entry + how);
  for (const std::string& entry : before)
    if (std::find(now.begin(), now.end(), entry) == now.end())
      tell(text, entry.substr(0, entry.find('=')) + " restored");
}

std::string told(const Scenario& now, const Scenario& before) {
  std::string text;
  tell_file(text, "model", now.model, before.model);
  tell_file(text, "machine", now.topology, before.topology);
  tell_file(text, "plan", now.plan, before.plan);
  tell_file(text, "costs", now.costs, before.costs);
  tell_file(text, "stack", now.stack, before.stack);
  if (now.hosts != before.hosts)
    tell(text, now.hosts ? fmt::format("{} hosts", *now.hosts) : "hosts as the file says");
  for (const Setting& each : now.settings)
    if (setting(before, each.path) != each.value)
      tell(text, fmt::format("{} {}", last_word(each.path), each.value));
  for (const Setting& each : before.settings)
    if (!setting(now, each.path)) tell(text, last_word(each.path) + " as its file says");
  tell_faults(text, now.faults.fail, before.faults.fail, " failed");
  tell_faults(text, now.faults.slow, before.faults.slow, " slow");
  tell_faults(text, now.faults.delay, before.faults.delay, " late");
  tell_faults(text, now.faults.hold, before.faults.hold, " held");
  return text;
}

}  // namespace

Scenario first_scenario() {
  return {.model = "llama-3-70b",
          .topology = "dgx-h100-1024",
          .plan = "llama-3-70b-1024-h100-tp8-pp4",
          .costs = {},
          .stack = {},
          .hosts = {},
          .settings = {},
          .faults = {}};
}

std::optional<std::string> setting(const Scenario& scenario, std::string_view path) {
  for (const Setting& each : scenario.settings)
    if (each.path == path) return each.value;
  return std::nullopt;
}

Scenario with_setting(Scenario scenario, std::string_view path, std::string_view value) {
  const auto found = std::find_if(scenario.settings.begin(), scenario.settings.end(),
                                  [&](const Setting& each) { return each.path == path; });
  if (value.empty()) {
    if (found != scenario.settings.end()) scenario.settings.erase(found);
  } else if (found != scenario.settings.end()) {
    found->value = value;
  } else {
    scenario.settings.push_back({std::string(path), std::string(value)});
  }
  return scenario;
}

PartFault fault_of(const Scenario& scenario, std::string_view part) {
  PartFault fault;
  const auto& fail = scenario.faults.fail;
  fault.failed = std::find(fail.begin(), fail.end(), part) != fail.end();
  if (const auto share = value_of(scenario.faults.slow, part)) fault.share = share_of(*share);
  fault.delay = value_of(scenario.faults.delay, part);
  return fault;
}

Scenario with_fault(Scenario scenario, std::string_view part, const PartFault& fault) {
  const auto of_part = [&](const std::string& entry) {
    return entry == part || is_of(entry, part);
  };
  Faults& faults = scenario.faults;
  for (auto* entries : {&faults.slow, &faults.fail, &faults.delay})
    std::erase_if(*entries, of_part);
  if (fault.failed) faults.fail.emplace_back(part);
  if (fault.share) faults.slow.push_back(fmt::format("{}={}", part, *fault.share));
  if (fault.delay) faults.delay.push_back(fmt::format("{}={}", part, *fault.delay));
  return scenario;
}

std::string difference_text(const Scenario& scenario) {
  Scenario files = scenario;
  files.hosts.reset();
  files.settings.clear();
  files.faults = {};
  const std::string text = told(scenario, files);
  return text.empty() ? "as its files say" : text;
}

std::string difference_text(const Scenario& scenario, const Scenario& other) {
  const std::string text = told(scenario, other);
  return text.empty() ? "the same" : text;
}

}  // namespace quintet::gui
