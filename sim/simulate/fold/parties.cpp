#include "sim/simulate/fold/parties.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace quintet {

namespace {

// The first of a party's prices that has the phases of the last.
std::int32_t first_alike(std::span<const CommunicationPrice* const> prices) {
  const std::vector<PhaseLoad>& last = prices.back()->phases;
  std::size_t first = 0;
  while (prices[first]->phases != last) ++first;
  return static_cast<std::int32_t>(first);
}

// Lists are as long as they will be from the beginning: spans into them stay.
class Listing {
 public:
  Listing(const Communications& communications, Parties& parties)
      : all_(communications), parties_(parties) {
    std::size_t prices = 0, ranks = 0, count = 0;
    for (std::size_t each = 0; each < all_.groups.size(); ++each) {
      count += all_.groups[each].size();
      prices += all_.groups[each].size() * all_.collectives[each].size();
    }
    for (const auto& senders : all_.messages) {
      count += senders.size();
      prices += senders.size();
      ranks += 2 * senders.size();
    }
    const std::size_t own = all_.kernels.size() + all_.copies.out.size() + all_.copies.in.size();
    parties_.all.reserve(count + own);
    parties_.prices.reserve(prices + own);
    parties_.alike.reserve(prices + own);
    parties_.ranks.reserve(ranks + own);
  }

  void add_groups() {
    for (std::size_t communicator = 0; communicator < all_.groups.size(); ++communicator)
      for (std::size_t group = 0; group < all_.groups[communicator].size(); ++group) {
        const std::size_t begin = parties_.prices.size();
        for (const auto& pattern : all_.collectives[communicator]) price(begin, pattern[group]);
        add(PartyKind::group, communicator, all_.groups[communicator][group], begin);
      }
  }

  void add_messages() {
    for (std::size_t pattern = 0; pattern < all_.messages.size(); ++pattern)
      for (std::size_t sender = 0; sender < all_.messages[pattern].size(); ++sender) {
        parties_.ranks.push_back(id_at<Rank>(sender));
        parties_.ranks.push_back(all_.receivers[pattern][sender]);
        add_one(PartyKind::message, pattern, 2, all_.messages[pattern][sender]);
      }
  }

  void add_of_ranks(PartyKind kind, std::size_t pattern,
                    const std::vector<CommunicationPrice>& prices) {
    for (std::size_t rank = 0; rank < prices.size(); ++rank) {
      parties_.ranks.push_back(id_at<Rank>(rank));
      add_one(kind, pattern, 1, prices[rank]);
    }
  }

 private:
  void price(std::size_t begin, const CommunicationPrice& fresh) {
    parties_.prices.push_back(&fresh);
    parties_.alike.push_back(first_alike(std::span(parties_.prices).subspan(begin)));
  }

  // Of the ranks that were listed last.
  void add_one(PartyKind kind, std::size_t pattern, std::size_t ranks,
               const CommunicationPrice& fresh) {
    const std::size_t begin = parties_.prices.size();
    price(begin, fresh);
    add(kind, pattern, std::span(parties_.ranks).last(ranks), begin);
  }

  void add(PartyKind kind, std::size_t pattern, std::span<const Rank> ranks, std::size_t begin) {
    parties_.all.push_back({kind,
                            pattern,
                            ranks,
                            std::span(parties_.prices).subspan(begin),
                            std::span(parties_.alike).subspan(begin),
                            {}});
  }

  const Communications& all_;
  Parties& parties_;
};

// What all phases put on each link, in memory that is used again.
class WholeLoads {
 public:
  explicit WholeLoads(std::size_t links) : sums_(links, 0.0) {}

  // The lowest rate at which a link is full; infinite where there is none.
  double rate_when_full(const std::vector<PhaseLoad>& phases, const std::vector<LinkShare>& links) {
    double rate = std::numeric_limits<double>::infinity();
    for (const PhaseLoad& phase : phases)
      for (const Usage& use : phase.uses) sums_[static_cast<std::size_t>(use.link)] += use.per_unit;
    for (const PhaseLoad& phase : phases)
      for (const Usage& use : phase.uses) {
        const auto link = static_cast<std::size_t>(use.link);
        const double whole = std::exchange(sums_[link], 0.0);
        if (whole > 0) rate = std::min(rate, quintet::rate_when_full(links[link], whole));
      }
    return rate;
  }

 private:
  std::vector<double> sums_;  // per link
};

}  // namespace

Parties parties_of(const Communications& communications) {
  Parties parties;
  Listing listing(communications, parties);
  listing.add_groups();
  parties.first_message = parties.all.size();
  listing.add_messages();
  parties.first_kernels = parties.all.size();
  listing.add_of_ranks(PartyKind::kernels, 0, communications.kernels);
  parties.first_copies = parties.all.size();
  listing.add_of_ranks(PartyKind::copies, 0, communications.copies.out);
  listing.add_of_ranks(PartyKind::copies, 1, communications.copies.in);
  parties.kind_of_rank = communications.computing.of_rank;
  parties.future_of_link = communications.futures;
  return parties;
}

void find_rates_alone(Parties& parties, const std::vector<LinkShare>& links) {
  WholeLoads loads(links.size());
  std::vector<double> full;  // of a party's prices: when the first of their links is
  parties.alone.clear();
  parties.alone.reserve(parties.prices.size());
  for (Party& party : parties.all) {
    full.clear();
    const std::size_t begin = parties.alone.size();
    for (std::size_t number = 0; number < party.prices.size(); ++number) {
      const CommunicationPrice& price = *party.prices[number];
      const auto first = static_cast<std::size_t>(party.alike[number]);
      full.push_back(first < number ? full[first] : loads.rate_when_full(price.phases, links));
      parties.alone.push_back(
          full.back() < price.bound.value ? full.back() : std::numeric_limits<double>::infinity());
    }
    party.alone = std::span(parties.alone).subspan(begin);
  }
}

}  // namespace quintet
