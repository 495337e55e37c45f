#include "traces/astra_sim/astra_network.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "sim/base/nearest_word.h"
#include "sim/base/shown_text.h"
#include "sim/base/text_file.h"
#include "traces/astra_sim/flat_lists.h"
#include "traces/astra_sim/other_networks.h"

namespace quintet {
namespace {

constexpr std::array<std::string_view, 4> keys{"topology", "npus_count", "bandwidth", "latency"};
constexpr std::array shapes{AstraShape::ring, AstraShape::fully_connected, AstraShape::star};

std::vector<std::string_view> shape_names() {
  std::vector<std::string_view> names;
  for (const AstraShape shape : shapes) names.push_back(name_of(shape));
  return names;
}

std::string unknown(std::string_view what, const std::string& word,
                    const std::vector<std::string_view>& known) {
  const auto meant = nearest(word, known);
  return fmt::format("the {} {} is not known{}; known are {}", what, in_quotes(word),
                     meant ? fmt::format(" (did you mean {}?)", *meant) : "",
                     fmt::join(known, ", "));
}

// Reads the lists of one file; the first thing wrong is kept.
class Lists {
 public:
  Lists(const std::vector<FlatList>& lists, std::string where)
      : lists_(lists), where_(std::move(where)) {}

  const FlatList* find(std::string_view key) {
    for (const FlatList& list : lists_)
      if (list.key == key) return &list;
    fail(where_, fmt::format("has no \"{}:\"; a network file has {}", key, fmt::join(keys, ", ")));
    return nullptr;
  }

  void refuse_unknown_keys() {
    for (const FlatList& list : lists_) {
      if (std::find(keys.begin(), keys.end(), list.key) != keys.end()) continue;
      fail(place(list), unknown("key", list.key, {keys.begin(), keys.end()}));
    }
  }

  double number(const FlatList& list, std::size_t at, double least, double most) {
    const std::string& item = list.items[at];
    double value = 0.0;
    const auto [end, code] = std::from_chars(item.data(), item.data() + item.size(), value);
    const bool read = code == std::errc{} && end == item.data() + item.size();
    if (read && value >= least && value <= most) return value;
    fail(place(list), fmt::format("{} is no number from {} to {}, which {} takes", in_quotes(item),
                                  least, most, list.key));
    return least;
  }

  AstraShape shape(const FlatList& list, std::size_t at) {
    for (const AstraShape shape : shapes)
      if (name_of(shape) == list.items[at]) return shape;
    fail(place(list), unknown("topology", list.items[at], shape_names()));
    return {};
  }

  std::string place(const FlatList& list) const {
    return fmt::format("{}: line {}", where_, list.line);
  }
  void fail(const std::string& where, const std::string& what) {
    if (!error_) error_ = Error{where, what};
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  const std::vector<FlatList>& lists_;
  std::string where_;
  std::optional<Error> error_;
};

std::optional<Error> wrong_lengths(const Lists& lists, const std::vector<const FlatList*>& fields) {
  const std::size_t dimensions = fields.front()->items.size();
  if (dimensions > static_cast<std::size_t>(most_astra_dimensions))
    return Error{
        lists.place(*fields.front()),
        fmt::format("{} dimensions; from 1 to {} are accepted", dimensions, most_astra_dimensions)};
  for (const FlatList* field : fields)
    if (field->items.size() != dimensions)
      return Error{lists.place(*field),
                   fmt::format("{} has {} values, topology has {}: give one a dimension",
                               field->key, field->items.size(), dimensions)};
  return std::nullopt;
}

// ASTRA-sim reads whole numbers here.
int ranks_in(Lists& lists, const FlatList& list, std::size_t at) {
  const double ranks = lists.number(list, at, 2.0, most_astra_ranks);
  if (ranks != std::floor(ranks))
    lists.fail(lists.place(list), in_quotes(list.items[at]) + " is no whole number of ranks");
  return static_cast<int>(ranks);
}

constexpr double most = 1e15;  // of a rate or a latency: what event time can hold

}  // namespace

std::string_view name_of(AstraShape shape) {
  switch (shape) {
    case AstraShape::ring:
      return "Ring";
    case AstraShape::fully_connected:
      return "FullyConnected";
    case AstraShape::star:
      return "Switch";
  }
  return {};
}

Bandwidth bandwidth_of(const AstraDimension& dimension) {
  return {dimension.gigabytes * 0x1p30};
}

int ranks_of(const AstraNetwork& network) {
  std::int64_t ranks = 1;
  for (const AstraDimension& dimension : network.dimensions)
    ranks = std::min<std::int64_t>(ranks * dimension.ranks, std::numeric_limits<int>::max());
  return static_cast<int>(ranks);
}

Result<AstraNetwork> astra_network_of(const std::string& text, const std::string& where) {
  if (const std::optional<Error> other = other_network(text, where)) return *other;
  const auto read = flat_lists(text, where);
  if (!read) return read.error();
  Lists lists(*read, where);
  lists.refuse_unknown_keys();
  std::vector<const FlatList*> fields;
  for (const std::string_view key : keys) fields.push_back(lists.find(key));
  if (lists.error()) return *lists.error();
  if (const auto wrong = wrong_lengths(lists, fields)) return *wrong;
  AstraNetwork network;
  for (std::size_t at = 0; at < fields.front()->items.size(); ++at)
    network.dimensions.push_back({lists.shape(*fields[0], at), ranks_in(lists, *fields[1], at),
                                  lists.number(*fields[2], at, 1e-9, most),
                                  lists.number(*fields[3], at, 0.0, most)});
  if (ranks_of(network) > most_astra_ranks)
    lists.fail(lists.place(*fields[1]), fmt::format("{} ranks in all; up to {} are accepted",
                                                    ranks_of(network), most_astra_ranks));
  if (lists.error()) return *lists.error();
  return network;
}

Result<AstraNetwork> read_astra_network(const std::filesystem::path& file) {
  const auto text = read_text_file(file, Bytes{1e6});
  if (!text) return text.error();
  return astra_network_of(*text, file.string());
}

std::string astra_network_text(const AstraNetwork& network) {
  std::vector<std::string_view> shape;
  std::vector<int> ranks;
  std::vector<double> bandwidth, latency;
  for (const AstraDimension& dimension : network.dimensions) {
    shape.push_back(name_of(dimension.shape));
    ranks.push_back(dimension.ranks);
    bandwidth.push_back(dimension.gigabytes);
    latency.push_back(dimension.nanoseconds);
  }
  return fmt::format(
      "topology: [ {} ]\nnpus_count: [ {} ]\nbandwidth: [ {} ]  # GB/s, of 2^30 bytes\n"
      "latency: [ {} ]  # ns\n",
      fmt::join(shape, ", "), fmt::join(ranks, ", "), fmt::join(bandwidth, ", "),
      fmt::join(latency, ", "));
}

}  // namespace quintet
