#include "gui/scenario/sweep/sweep_wish.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>

#include "gui/scenario/scenario_command.h"
#include "sim/command/sweep/swept_case.h"

namespace quintet::gui {

namespace {

// The base without what is varied, whatever it is called there.
Scenario without(Scenario scenario, const SweptField& field) {
  if (field.kind == SweptKind::share) {
    PartFault fault = fault_of(scenario, field.name);
    fault.share.reset();
    return with_fault(std::move(scenario), field.name, fault);
  }
  std::erase_if(scenario.settings,
                [&](const Setting& each) { return is_same_field(each.path, field.name); });
  if (is_hosts(field)) scenario.hosts.reset();
  return scenario;
}

Scenario with(Scenario scenario, const SweptField& field, const std::string& value) {
  if (field.kind == SweptKind::field) return with_setting(std::move(scenario), field.name, value);
  if (!is_whole_rate(value)) scenario.faults.slow.push_back(field.name + "=" + value);
  return scenario;
}

Scenario varied_base(const SweepWish& wish) {
  Scenario base = wish.base;
  for (const SweptField& field : wish.fields) base = without(std::move(base), field);
  return base;
}

}  // namespace

Result<std::vector<SweepCase>> sweep_cases(const SweepWish& wish) {
  if (wish.fields.empty()) return Error{"sweep", "nothing is varied; choose a field"};
  if (wish.fields.size() == 2 && is_same(wish.fields[0], wish.fields[1]))
    return Error{"sweep",
                 name_text(wish.fields[0]) + " is varied twice; choose two fields, or one"};
  std::vector<SweepCase> cases{{{}, varied_base(wish)}};
  for (const SweptField& field : wish.fields) {
    if (cases.size() * field.values.size() > most_sweep_cases)
      return Error{"sweep", fmt::format("these are more than {} predictions; give fewer values",
                                        most_sweep_cases)};
    std::vector<SweepCase> more;
    for (const SweepCase& before : cases)
      for (const std::string& value : field.values) {
        SweepCase one{before.values, with(before.scenario, field, value)};
        one.values.push_back(value);
        more.push_back(std::move(one));
      }
    cases = std::move(more);
  }
  return cases;
}

std::string case_text(const SweepWish& wish, const SweepCase& one) {
  return quintet::case_text(wish.fields, one.values);
}

std::string sweep_command(const SweepWish& wish) {
  Scenario listed = varied_base(wish);
  std::string before, behind, after;
  constexpr std::array names{"share", "other"};
  for (std::size_t i = 0; i < wish.fields.size(); ++i) {
    const SweptField& field = wish.fields[i];
    if (field.kind == SweptKind::field) {
      listed = with_setting(listed, field.name, fmt::format("{}", fmt::join(field.values, ",")));
      continue;
    }
    before += fmt::format("for {} in {}; do ", names[i], command_text(field.values));
    behind += fmt::format(" --slow {}=${}", command_text(std::vector{field.name}), names[i]);
    after += "; done";
  }
  return before + command_text(listed) + behind + after;
}

}  // namespace quintet::gui
