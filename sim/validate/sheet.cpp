#include "sim/validate/sheet.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "sim/validate/validation.h"

namespace quintet {

namespace {

bool out_of_memory(const RowVerdict& verdict) {
  return verdict.row.status == RowStatus::out_of_memory;
}

bool is_candidate(const RowVerdict& verdict) {
  const PublishedRow& row = verdict.row;
  if (!verdict.prediction || !row.gbs || !row.gpus || !row.seq) return false;
  return out_of_memory(verdict) || (row.status == RowStatus::ok && measured_step(row).has_value());
}

double per_sequence(double step, const RowVerdict& verdict) {
  return step / *verdict.row.gbs;
}

double predicted(const RowVerdict& verdict) {
  return per_sequence(verdict.prediction->step.value, verdict);
}

double measured(const RowVerdict& verdict) {
  return per_sequence(*measured_step(verdict.row), verdict);
}

Sheet empty_sheet(const RowVerdict& of) {
  Sheet sheet;
  sheet.source = source_name(of.row.file);
  sheet.stack = of.stack;
  sheet.model = of.row.model;
  sheet.gpu = of.row.gpu;
  sheet.precision = of.row.precision;
  sheet.gpus = *of.row.gpus;
  sheet.sequence = *of.row.seq;
  return sheet;
}

bool same(const Sheet& left, const Sheet& right) {
  const auto key = [](const Sheet& sheet) {
    return std::tie(sheet.source, sheet.stack, sheet.model, sheet.gpu, sheet.precision, sheet.gpus,
                    sheet.sequence);
  };
  return key(left) == key(right);
}

void add(const RowVerdict& verdict, Sheet& sheet) {
  ++sheet.candidates;
  if (!out_of_memory(verdict) && (!sheet.best || measured(verdict) < measured(*sheet.best)))
    sheet.best = &verdict;
  if (!verdict.prediction->fits) return;
  ++sheet.admitted;
  if (!sheet.picked || predicted(verdict) < predicted(*sheet.picked)) sheet.picked = &verdict;
}

}  // namespace

std::optional<double> Sheet::regret() const {
  if (!picked || !best || out_of_memory(*picked)) return std::nullopt;
  return measured(*picked) / measured(*best) - 1;
}

std::vector<Sheet> sheets_of(const std::vector<const RowVerdict*>& verdicts) {
  std::vector<Sheet> sheets;
  for (const RowVerdict* verdict : verdicts) {
    if (!is_candidate(*verdict)) continue;
    const Sheet wanted = empty_sheet(*verdict);
    auto found = std::find_if(sheets.begin(), sheets.end(),
                              [&](const Sheet& sheet) { return same(sheet, wanted); });
    if (found == sheets.end()) found = sheets.insert(sheets.end(), wanted);
    add(*verdict, *found);
  }
  std::erase_if(sheets, [](const Sheet& sheet) { return sheet.candidates < 2 || !sheet.best; });
  return sheets;
}

Regrets regrets_of(const std::vector<Sheet>& sheets) {
  Regrets all;
  all.sheets = static_cast<int>(sheets.size());
  for (const Sheet& sheet : sheets) {
    const std::optional<double> regret = sheet.regret();
    if (!regret) ++all.failed;
    all.mean += regret.value_or(0);
    all.largest = std::max(all.largest, regret.value_or(0));
  }
  if (all.sheets > all.failed) all.mean /= all.sheets - all.failed;
  return all;
}

}  // namespace quintet
