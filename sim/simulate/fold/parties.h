// Who loads links together, in one list: the groups of every communicator, the messages of every
// pattern, the kernels of ranks that share cores, ranks' copies to the host's memory and from it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/price/communications.h"
#include "sim/program/program.h"

namespace quintet {

enum class PartyKind : std::uint8_t { group, message, kernels, copies };

struct Party {
  PartyKind kind = PartyKind::group;
  std::size_t pattern = 0;      // a group: its communicator; a message: its pattern
  std::span<const Rank> ranks;  // a message: sender, receiver
  // One per pattern: all of a group's, one for a message.
  std::span<const CommunicationPrice* const> prices;
  // Per price: the first of them that puts the same on links. Most of a group's do.
  std::span<const std::int32_t> alike;
  // Per price: the rate at which it would fill the first of its links if it had them all to itself,
  // where that is below its own bound; infinite elsewhere. Empty: not asked for.
  std::span<const double> alone;
};

struct Parties {
  Parties() = default;
  Parties(Parties&&) = default;  // not to be copied: its parties refer to its lists
  Parties& operator=(Parties&&) = default;

  std::vector<Party> all;         // groups by communicator, then messages by pattern and sender,
  std::size_t first_message = 0;  // then kernels by rank
  std::size_t first_kernels = 0, first_copies = 0;  // and last: out by rank, in by rank
  std::vector<std::int32_t> kind_of_rank;           // ComputeKinds::of_rank
  std::vector<std::int32_t> future_of_link;         // Communications::futures

  // What the parties refer to, one after the other.
  std::vector<Rank> ranks;
  std::vector<const CommunicationPrice*> prices;
  std::vector<std::int32_t> alike;
  std::vector<double> alone;
};

// Refers to the prices and groups of `communications`.
Parties parties_of(const Communications& communications);

// Fills in Party::alone.
void find_rates_alone(Parties& parties, const std::vector<LinkShare>& links);

}  // namespace quintet
