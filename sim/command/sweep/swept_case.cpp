#include "sim/command/sweep/swept_case.h"

#include <fmt/format.h>

#include <utility>

#include "sim/command/many_plans.h"

namespace quintet {

namespace {

std::string reasons_of(const RefusedPlan& refused) {
  std::string text;
  for (const Problem& problem : refused.problems)
    text += (text.empty() ? "" : "; ") + problem.field + ": " + problem.reason;
  return text.empty() ? refused.error.text() : text;
}

std::optional<Error> varied_twice(const std::vector<SweptField>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (is_same(fields[i], fields[j]))
        return Error{"--vary " + name_text(fields[i]), "is varied twice; give all values in one"};
  return std::nullopt;
}

std::optional<Error> several_values(const AskedFields& settings) {
  for (const AskedField& setting : settings)
    if (setting.values.size() > 1)
      return Error{setting.option + setting.values.front() + ",...",
                   "is a list; a sweep varies by --vary LAYER.FIELD=" + setting.values.front() +
                       "," + setting.values[1]};
  return std::nullopt;
}

std::optional<Error> set_too(const SweepBase& base, const std::vector<SweptField>& fields) {
  for (const SweptField& field : fields)
    if (is_hosts(field) && base.names.hosts)
      return Error{"--vary " + name_text(field), "--hosts says the same field; leave one out"};
  return std::nullopt;
}

// The case with this value of this field. A field that is set too is told by combinations().
SweptCase with(SweptCase one, const SweptField& field, const std::string& value) {
  one.values.push_back(value);
  if (field.kind == SweptKind::share && !is_whole_rate(value))
    one.names.faults.slow.push_back(field.name + "=" + value);
  return one;
}

Result<AskedChanges> changes_of(const SweepBase& base, const std::vector<SweptField>& fields,
                                const std::vector<std::string>& values) {
  AskedFields settings = base.settings;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].kind == SweptKind::share) continue;
    Result<AskedField> setting = asked_field(fields[i].name + "=" + values[i]);
    if (!setting) return setting.error();
    setting->option = "--vary " + fields[i].name + "=";
    settings.push_back(std::move(*setting));
  }
  Result<std::vector<AskedChanges>> all = combinations(settings);
  if (!all) return all.error();
  return std::move(all->front());
}

CaseAnswer answered(const std::vector<Inputs>& inputs, const ManyAsked& asked) {
  ManyPlans many = many_plans(inputs, asked);
  if (many.rows.empty())
    return {std::nullopt, many.refused.empty() ? "no plan" : reasons_of(many.refused.front())};
  CaseAnswer made{std::move(many.rows.front().answer), {}};
  if (made.answer->fit == MemoryFit::does_not_fit) made.reason = made.answer->fit_text;
  return made;
}

}  // namespace

Result<std::vector<SweptCase>> swept_cases(const SweepBase& base,
                                           const std::vector<SweptField>& fields) {
  if (const auto error = varied_twice(fields)) return *error;
  if (const auto error = several_values(base.settings)) return *error;
  if (const auto error = set_too(base, fields)) return *error;
  std::vector<SweptCase> cases{{{}, base.names, {}}};
  for (const SweptField& field : fields) {
    if (cases.size() * field.values.size() > most_swept_cases)
      return Error{"--vary " + name_text(field),
                   fmt::format("makes more than {} predictions; give fewer values, or larger steps",
                               most_swept_cases)};
    std::vector<SweptCase> more;
    for (const SweptCase& before : cases)
      for (const std::string& value : field.values) more.push_back(with(before, field, value));
    cases = std::move(more);
  }
  for (SweptCase& one : cases) {
    Result<AskedChanges> changes = changes_of(base, fields, one.values);
    if (!changes) return changes.error();
    one.prices = changes->prices;
    one.names.asked = {std::move(*changes)};
  }
  return cases;
}

std::string case_text(const std::vector<SweptField>& fields,
                      const std::vector<std::string>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", short_name(fields[i]), values[i]);
  return text;
}

CaseAnswer answered_case(const InputNames& names, const PublishedResiduals& residuals,
                         const std::function<void(double share)>& progress) {
  const Result<std::vector<Inputs>> inputs = read_inputs(names);
  if (!inputs) return {std::nullopt, inputs.error().text()};
  ManyAsked asked;
  asked.options.progress = progress;
  asked.published = residuals;
  return answered(*inputs, asked);
}

CaseAnswer answered_case(const SweptCase& one, const MoneyWish& money,
                         const PublishedResiduals& residuals) {
  const Result<std::vector<Inputs>> inputs = read_inputs(one.names);
  if (!inputs) return {std::nullopt, inputs.error().text()};
  ManyAsked asked;
  asked.published = residuals;
  for (const Inputs& each : *inputs) {
    if (!money.money) break;
    Result<std::optional<Bill>> bill = bill_wished(money, one.prices, each.topology, false);
    if (!bill) return {std::nullopt, bill.error().text()};
    asked.bills.push_back(std::move(*bill));
  }
  return answered(*inputs, asked);
}

}  // namespace quintet
