// What every rank has to say becomes what every rank knows, through rank 0.
#pragma once

#include <type_traits>
#include <vector>

#include "engine/peers/rank_mail.h"

namespace quintet::engine {

// `all`: room for every rank's part, all of mine's size. Uses the label and the next one.
std::optional<Error> exchange(RankMail& mail, std::uint64_t label, std::span<const std::byte> mine,
                              std::span<std::byte> all);

// Of plain data, the same on every rank of a job: sent as it lies.
template <class Plain>
Result<std::vector<Plain>> exchanged(RankMail& mail, std::uint64_t label, const Plain& mine) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  std::vector<Plain> all(static_cast<std::size_t>(mail.world()));
  if (auto failed = exchange(mail, label, std::as_bytes(std::span(&mine, 1)),
                             std::as_writable_bytes(std::span(all))))
    return *failed;
  return all;
}

}  // namespace quintet::engine
