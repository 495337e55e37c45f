// The cases of a sweep: one question, with the values of its swept fields, and what `quintet
// simulate` answers to it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/answer/answer.h"
#include "sim/asked/settings.h"
#include "sim/asked/swept_field.h"
#include "sim/base/result.h"
#include "sim/command/inputs.h"
#include "sim/command/money_wish.h"
#include "sim/confidence/residuals.h"

namespace quintet {

// What all cases have in common.
struct SweepBase {
  InputNames names;      // with one combination of what is set
  AskedFields settings;  // each of one value
  MoneyWish money;
};

struct SweptCase {
  std::vector<std::string> values;  // one per field
  InputNames names;
  FieldChanges prices;
};

inline constexpr std::size_t most_swept_cases = 10'000;

// All combinations, the last field's values varying first. Fails where a field is varied twice, is
// set too, or has a list in the base, and where there are too many cases.
Result<std::vector<SweptCase>> swept_cases(const SweepBase& base,
                                           const std::vector<SweptField>& fields);

// "tensor 4, nics 2": for people.
std::string case_text(const std::vector<SweptField>& fields,
                      const std::vector<std::string>& values);

struct CaseAnswer {
  std::optional<Answer> answer;  // none: it cannot be
  std::string reason;  // why it cannot be, or does not fit into the memory; empty: neither
  bool fits() const { return answer.has_value() && reason.empty(); }
};

// Reads what is named, and predicts its one plan. `progress` may throw, to end it.
CaseAnswer answered_case(const InputNames& names, const PublishedResiduals& residuals,
                         const std::function<void(double share)>& progress = {});
CaseAnswer answered_case(const SweptCase& one, const MoneyWish& money,
                         const PublishedResiduals& residuals);

}  // namespace quintet
