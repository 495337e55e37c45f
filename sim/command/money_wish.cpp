#include "sim/command/money_wish.h"

#include <filesystem>

#include "sim/money/prices_file.h"
#include "sim/usage/shipped.h"

namespace quintet {

Options money_options(MoneyWish& into) {
  return {{"--money", &into.money,
           "Also what machine, step and run cost: bought, electricity, rent, each with its source"},
          {"--prices", &into.prices, "Prices for --money; default: traces/prices.json", "FILE"}};
}

std::optional<Error> wrong_money(const MoneyWish& wish, const std::vector<AskedChanges>& asked,
                                 bool of_tokens) {
  const FieldChanges& changes = asked.front().prices;
  for (const AskedChanges& each : asked)
    if (each.prices != changes)
      return Error{each.prices.back().asked, "one value is taken here: prices are of all plans"};
  if (wish.money || of_tokens) return std::nullopt;
  if (!wish.prices.empty())
    return Error{"--prices", "is read where --money, --tokens, --samples or --steps asks"};
  if (!changes.empty())
    return Error{changes.front().asked,
                 "is of prices, which only --money and a run (--tokens, --samples, --steps) read"};
  return std::nullopt;
}

Result<std::optional<Bill>> bill_wished(const MoneyWish& wish, const FieldChanges& changes,
                                        const Topology& topology, bool of_tokens) {
  if (!wish.money && !of_tokens) return std::optional<Bill>{};
  const bool shipped = wish.prices.empty();
  const std::filesystem::path file =
      shipped ? data_directory() / "traces/prices.json" : std::filesystem::path(wish.prices);
  std::error_code unreadable;
  if (!wish.money && shipped && !std::filesystem::exists(file, unreadable))
    return std::optional<Bill>{};
  Result<Prices> prices = read_prices(file, changes);
  if (!prices) return prices.error();
  Result<Bill> bill = bill_of(topology, *prices);
  if (bill) return std::optional<Bill>{std::move(*bill)};
  if (!wish.money && shipped) return std::optional<Bill>{};
  return Error{file.string() + ": " + bill.error().where, bill.error().what};
}

}  // namespace quintet
