#include "engine/peers/exchange.h"

#include <algorithm>

namespace quintet::engine {

std::optional<Error> exchange(RankMail& mail, std::uint64_t label, std::span<const std::byte> mine,
                              std::span<std::byte> all) {
  const std::uint64_t reply = label + 1;
  if (mail.rank() != Rank{0}) {
    if (auto failed = mail.give(Rank{0}, label, mine)) return failed;
    return mail.take(Rank{0}, reply, all);
  }
  std::copy(mine.begin(), mine.end(), all.begin());
  for (int rank = 1; rank < mail.world(); ++rank) {
    const auto part = all.subspan(Rank{rank}.index() * mine.size(), mine.size());
    if (auto failed = mail.take(Rank{rank}, label, part)) return failed;
  }
  for (int rank = 1; rank < mail.world(); ++rank)
    if (auto failed = mail.give(Rank{rank}, reply, all)) return failed;
  return std::nullopt;
}

}  // namespace quintet::engine
