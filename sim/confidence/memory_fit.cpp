#include "sim/confidence/memory_fit.h"

#include <fmt/format.h>

#include "sim/base/text_table.h"

namespace quintet {

std::string_view name_of(MemoryFit fit) {
  switch (fit) {
    case MemoryFit::fits:
      return "fits";
    case MemoryFit::too_close:
      return "too close to tell";
    case MemoryFit::does_not_fit:
      return "does not fit";
    case MemoryFit::not_known:
      return "not known";
  }
  return {};
}

MemoryFit memory_fit(const MemoryReport& report, const MemoryBand& band) {
  if (report.capacity.value <= 0 || report.ranks.empty()) return MemoryFit::not_known;
  const double share = total(*fullest(report)) / report.capacity;
  if (band.within > 0 && band.from <= share && share <= band.to) return MemoryFit::too_close;
  return verdict(report) == MemoryVerdict::fits ? MemoryFit::fits : MemoryFit::does_not_fit;
}

std::string memory_fit_text(const MemoryReport& report, const MemoryBand& band) {
  const MemoryFit fit = memory_fit(report, band);
  if (fit == MemoryFit::not_known) return "";
  const std::string plain = verdict_text(report);
  if (fit != MemoryFit::too_close) return plain;
  return fmt::format(
      "too close to tell: {}; {} of {} published verdicts between {} and {} of the capacity were "
      "wrong",
      plain.substr(plain.find(": ") + 2), band.wrong_within, band.within, percent(band.from, 0),
      percent(band.to, 0));
}

}  // namespace quintet
