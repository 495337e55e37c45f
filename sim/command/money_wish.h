// `quintet simulate --money --prices FILE --set prices.FIELD=VALUE`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/asked/settings.h"
#include "sim/base/result.h"
#include "sim/money/bill.h"
#include "sim/topology/topology.h"
#include "sim/usage/verb.h"

namespace quintet {

struct MoneyWish {
  bool money = false;
  std::string prices;  // file; empty: the shipped one
};

Options money_options(MoneyWish& into);

// Prices that are named or changed must be wanted, and are one set for all plans.
std::optional<Error> wrong_money(const MoneyWish& wish, const std::vector<AskedChanges>& asked,
                                 bool of_tokens);

// What the machine costs: where money is asked for, the prices must have all of its parts; where
// only a run of so many tokens is, none says that they have not, or that none are shipped.
Result<std::optional<Bill>> bill_wished(const MoneyWish& wish, const FieldChanges& changes,
                                        const Topology& topology, bool of_tokens);

}  // namespace quintet
