#include "engine/files/data/byte_pair_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <queue>
#include <tuple>

#include "engine/files/data/pre_tokenise.h"

namespace quintet {
namespace {

// Text repeats its words; a text that does not shall not fill the memory.
constexpr std::size_t most_words_remembered = 1 << 16;
constexpr std::size_t longest_word_remembered = 64;

std::uint64_t pair_of(TokenId left, TokenId right) {
  return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
}

// A word while it is merged: a doubly linked list in which a merge empties its right place.
struct Place {
  TokenId id;
  std::int32_t previous, next;  // -1: none
};

// The same rank twice: the leftmost first. An offer is stale when either side changed since.
struct Offer {
  std::int32_t rank, at;
  TokenId left, right, merged;
  bool operator>(const Offer& other) const {
    return std::tie(rank, at) > std::tie(other.rank, other.at);
  }
};
using Offers = std::priority_queue<Offer, std::vector<Offer>, std::greater<>>;

std::vector<Place> places_of(std::string_view word, const std::vector<TokenId>& of_byte) {
  std::vector<Place> places;
  const auto count = static_cast<std::int32_t>(word.size());
  for (std::int32_t i = 0; i < count; ++i) {
    const auto byte = static_cast<std::uint8_t>(word[static_cast<std::size_t>(i)]);
    places.push_back({of_byte[byte], i - 1, i + 1 < count ? i + 1 : -1});
  }
  return places;
}

std::size_t index(std::int32_t place) {
  return static_cast<std::size_t>(place);
}

bool still_stands(const std::vector<Place>& places, const Offer& offer) {
  const Place& left = places[index(offer.at)];
  return left.id == offer.left && left.next >= 0 && places[index(left.next)].id == offer.right;
}

void merge(std::vector<Place>& places, const Offer& offer) {
  Place& left = places[index(offer.at)];
  Place& right = places[index(left.next)];
  left.id = offer.merged;
  left.next = right.next;
  right.id = -1;
  if (right.next >= 0) places[index(right.next)].previous = offer.at;
}

struct SpecialPlace {
  std::size_t at = std::string_view::npos, length = 0;
  TokenId id = -1;
};

// Remembers where each special token comes next, so that one that never comes is sought once.
class SpecialFinder {
 public:
  explicit SpecialFinder(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {
    for (const TokenId id : vocabulary.special) next_.push_back({unsought, 0, id});
  }

  // The earliest; of two at the same place, the longer.
  SpecialPlace first_from(std::string_view text, std::size_t from) {
    SpecialPlace first;
    for (SpecialPlace& next : next_) {
      const std::string& name = vocabulary_.tokens.at(next.id);
      if (next.at == unsought || next.at < from) next.at = text.find(name, from);
      next.length = name.size();
      if (next.at == text.npos) next.at = absent;
      const bool longer = next.at == first.at && next.length > first.length;
      if (next.at != absent && (next.at < first.at || longer)) first = next;
    }
    return first;
  }

 private:
  static constexpr std::size_t unsought = std::string_view::npos;
  static constexpr std::size_t absent = unsought - 1;

  const Vocabulary& vocabulary_;
  std::vector<SpecialPlace> next_;
};

}  // namespace

Result<BytePairEncoder> BytePairEncoder::make(Vocabulary vocabulary, const std::string& where) {
  BytePairEncoder encoder;
  encoder.vocabulary_ = std::move(vocabulary);
  encoder.of_byte_.assign(256, -1);
  const std::vector<TokenId>& special = encoder.vocabulary_.special;
  for (const auto& [id, bytes] : encoder.vocabulary_.tokens) {
    encoder.largest_id_ = std::max(encoder.largest_id_, id);
    if (bytes.size() == 1 && std::find(special.begin(), special.end(), id) == special.end())
      encoder.of_byte_[static_cast<std::uint8_t>(bytes.front())] = id;
  }
  const auto missing = std::find(encoder.of_byte_.begin(), encoder.of_byte_.end(), -1);
  if (missing != encoder.of_byte_.end())
    return Error{where,
                 fmt::format("no token for the byte {}; a byte-level vocabulary holds all 256",
                             missing - encoder.of_byte_.begin())};
  std::int32_t rank = 0;
  for (const Merge& merge : encoder.vocabulary_.merges)
    encoder.learned_.try_emplace(pair_of(merge.left, merge.right), Learned{rank++, merge.merged});
  return encoder;
}

const BytePairEncoder::Learned* BytePairEncoder::learned(TokenId left, TokenId right) const {
  const auto found = learned_.find(pair_of(left, right));
  return found == learned_.end() ? nullptr : &found->second;
}

std::vector<TokenId> BytePairEncoder::merged(std::string_view word) const {
  std::vector<Place> places = places_of(word, of_byte_);
  Offers offers;
  const auto offer = [&](std::int32_t at) {
    if (at < 0 || places[index(at)].next < 0) return;
    const TokenId left = places[index(at)].id, right = places[index(places[index(at)].next)].id;
    if (const Learned* const pair = learned(left, right))
      offers.push({pair->rank, at, left, right, pair->merged});
  };
  for (std::int32_t at = 0; at < static_cast<std::int32_t>(places.size()); ++at) offer(at);
  while (!offers.empty()) {
    const Offer best = offers.top();
    offers.pop();
    if (!still_stands(places, best)) continue;
    merge(places, best);
    offer(places[index(best.at)].previous);
    offer(best.at);
  }
  std::vector<TokenId> ids;
  for (const Place& place : places)
    if (place.id >= 0) ids.push_back(place.id);
  return ids;
}

void BytePairEncoder::encode_plain(std::string_view text, std::vector<TokenId>& ids) {
  while (!text.empty()) {
    const std::string_view word = first_word(text);
    text.remove_prefix(word.size());
    if (word.size() > longest_word_remembered) {
      const std::vector<TokenId> found = merged(word);
      ids.insert(ids.end(), found.begin(), found.end());
      continue;
    }
    if (remembered_.size() >= most_words_remembered) remembered_.clear();
    const auto [entry, added] = remembered_.try_emplace(std::string(word));
    if (added) entry->second = merged(word);
    ids.insert(ids.end(), entry->second.begin(), entry->second.end());
  }
}

std::vector<TokenId> BytePairEncoder::encode(std::string_view text, SpecialTokens special) {
  std::vector<TokenId> ids;
  std::size_t at = 0;
  SpecialFinder finder(vocabulary_);
  while (special == SpecialTokens::recognised) {
    const SpecialPlace found = finder.first_from(text, at);
    if (found.id < 0) break;
    encode_plain(text.substr(at, found.at - at), ids);
    ids.push_back(found.id);
    at = found.at + found.length;
  }
  encode_plain(text.substr(at), ids);
  return ids;
}

Result<std::string> BytePairEncoder::decode(const std::vector<TokenId>& ids) const {
  std::string text;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto found = vocabulary_.tokens.find(ids[i]);
    if (found == vocabulary_.tokens.end())
      return Error{fmt::format("token {}", i),
                   fmt::format("{} is no id of this vocabulary", ids[i])};
    text += found->second;
  }
  return text;
}

}  // namespace quintet
