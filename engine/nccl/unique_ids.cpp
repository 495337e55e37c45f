#include "engine/nccl/unique_ids.h"

#include <cassert>
#include <optional>

#include "engine/nccl/nccl_check.h"

namespace quintet::engine {

namespace {

constexpr char digits[] = "0123456789abcdef";

// Texts between ranks end at their first zero, and an id has some.
std::string in_hex(const ncclUniqueId& id) {
  std::string text;
  for (const char byte : id.internal) {
    const auto value = static_cast<unsigned char>(byte);
    text += {digits[value / 16], digits[value % 16]};
  }
  return text;
}

std::optional<ncclUniqueId> from_hex(const std::string& text) {
  ncclUniqueId id{};
  if (text.size() != 2 * sizeof id.internal) return std::nullopt;
  const std::string known = digits;
  for (std::size_t index = 0; index < sizeof id.internal; ++index) {
    const std::size_t high = known.find(text[2 * index]), low = known.find(text[2 * index + 1]);
    if (high == std::string::npos || low == std::string::npos) return std::nullopt;
    id.internal[index] = static_cast<char>(high * 16 + low);
  }
  return id;
}

}  // namespace

Result<ncclUniqueId> shared_unique_id(const NcclFunctions& nccl, Peers& peers,
                                      const std::vector<Rank>& members, const std::string& name) {
  const std::string opening = "nccl " + name + " ";
  if (peers.rank() == members.front()) {
    ncclUniqueId id{};
    const ncclResult_t answer = nccl.get_unique_id(&id);
    if (const auto wrong = trouble(nccl, name, "ncclGetUniqueId", answer, nullptr))
      return wrong->error;
    for (const Rank member : members)
      if (member != peers.rank()) peers.send_text(member, opening + in_hex(id));
    return id;
  }
  const auto text = peers.receive_text(members.front(), Patience::until_one_is_over);
  if (!text) return text.error();
  assert(*text);
  const bool ours = (*text)->starts_with(opening);
  const auto id = ours ? from_hex((*text)->substr(opening.size())) : std::nullopt;
  if (!id)
    return Error{name, "rank " + std::to_string(members.front().value) +
                           " sent something else than NCCL's id; ranks do not run one program"};
  return *id;
}

}  // namespace quintet::engine
