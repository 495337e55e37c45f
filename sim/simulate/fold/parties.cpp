#include "sim/simulate/fold/parties.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace quintet {

namespace {

void add_groups(const Communications& communications, std::vector<Party>& parties) {
  for (std::size_t communicator = 0; communicator < communications.groups.size(); ++communicator)
    for (std::size_t group = 0; group < communications.groups[communicator].size(); ++group) {
      Party party{
          PartyKind::group, communicator, communications.groups[communicator][group], {}, {}};
      for (const auto& pattern : communications.collectives[communicator])
        party.prices.push_back(&pattern[group]);
      parties.push_back(std::move(party));
    }
}

void add_messages(const Communications& communications, std::vector<Party>& parties) {
  for (std::size_t pattern = 0; pattern < communications.messages.size(); ++pattern)
    for (std::size_t sender = 0; sender < communications.messages[pattern].size(); ++sender)
      parties.push_back({PartyKind::message,
                         pattern,
                         {id_at<Rank>(sender), communications.receivers[pattern][sender]},
                         {&communications.messages[pattern][sender]},
                         {}});
}

void add_kernels(const Communications& communications, std::vector<Party>& parties) {
  for (std::size_t rank = 0; rank < communications.kernels.size(); ++rank)
    parties.push_back(
        {PartyKind::kernels, 0, {id_at<Rank>(rank)}, {&communications.kernels[rank]}, {}});
}

double rate_alone(const CommunicationPrice& price, const std::vector<LinkShare>& links) {
  double rate = std::numeric_limits<double>::infinity();
  const auto pass = [&](const std::vector<Usage>& uses) {
    for (const Usage& use : uses)
      rate =
          std::min(rate, rate_when_full(links[static_cast<std::size_t>(use.link)], use.per_unit));
  };
  if (price.phases.size() == 1)
    pass(price.phases.front().uses);
  else
    pass(whole_load(price.phases));
  return rate < price.bound.value ? rate : std::numeric_limits<double>::infinity();
}

void add_copies(const std::vector<CommunicationPrice>& copies, std::size_t direction,
                std::vector<Party>& parties) {
  for (std::size_t rank = 0; rank < copies.size(); ++rank)
    parties.push_back({PartyKind::copies, direction, {id_at<Rank>(rank)}, {&copies[rank]}, {}});
}

}  // namespace

Parties parties_of(const Communications& communications) {
  Parties parties;
  add_groups(communications, parties.all);
  parties.first_message = parties.all.size();
  add_messages(communications, parties.all);
  parties.first_kernels = parties.all.size();
  add_kernels(communications, parties.all);
  parties.first_copies = parties.all.size();
  add_copies(communications.copies.out, 0, parties.all);
  add_copies(communications.copies.in, 1, parties.all);
  parties.kind_of_rank = communications.computing.of_rank;
  parties.future_of_link = communications.futures;
  return parties;
}

void find_rates_alone(Parties& parties, const std::vector<LinkShare>& links) {
  for (Party& party : parties.all) {
    party.alone.clear();
    for (const CommunicationPrice* price : party.prices)
      party.alone.push_back(rate_alone(*price, links));
  }
}

}  // namespace quintet
