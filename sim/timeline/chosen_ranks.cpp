#include "sim/timeline/chosen_ranks.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "sim/base/shown_text.h"

namespace quintet {

namespace {

constexpr std::size_t most_ranks = 1024;

// The number that fills the text.
std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const auto [stopped, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || stopped != text.data() + text.size() || number < 0)
    return std::nullopt;
  return number;
}

// "8-15" or "8"; false: neither, or too many.
bool add_range(std::string_view text, std::vector<int>& ranks) {
  const std::size_t dash = text.find('-');
  const auto first = whole_number(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : whole_number(text.substr(dash + 1));
  if (!first || !last || *last < *first) return false;
  for (int rank = *first; ranks.size() <= most_ranks; ++rank) {
    if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) ranks.push_back(rank);
    if (rank == *last) return true;
  }
  return false;
}

// What one track has, as another's.
class Copying {
 public:
  Copying(const Timeline& from, Timeline& into) : from_(from), into_(into) {}

  void copy(std::int32_t track, bool is_shown) {
    const auto number = static_cast<std::int32_t>(into_.tracks.size()) - 1;
    for (std::size_t i = 0; i < from_.spans.size(); ++i) {
      if (from_.spans[i].track != track) continue;
      Span span = from_.spans[i];
      span.track = number;
      if (!is_shown) span.flow = -1;
      into_.spans.push_back(span);
      if (!from_.cpu.empty()) into_.cpu.push_back(from_.cpu[i]);
      if (!from_.notes.empty()) into_.notes.push_back(from_.notes[i]);
    }
    for (HostGap gap : from_.host_gaps)
      if (gap.track == track) {
        gap.track = number;
        into_.host_gaps.push_back(gap);
      }
  }

 private:
  const Timeline& from_;
  Timeline& into_;
};

}  // namespace

Result<std::vector<int>> parse_ranks(std::string_view text) {
  std::vector<int> ranks;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    if (!add_range(rest.substr(0, comma), ranks) || ranks.size() > most_ranks)
      return Error{"",
                   "expected ranks such as 0,8-15, at most 1024 of them, found " + in_quotes(text)};
    if (comma == std::string_view::npos) return ranks;
    rest.remove_prefix(comma + 1);
  }
}

std::string complaint_of_ranks(const std::string& text) {
  const auto ranks = parse_ranks(text);
  return ranks ? "" : ranks.error().what;
}

Timeline with_ranks(const Timeline& timeline, const std::vector<int>& ranks,
                    const std::vector<std::int32_t>& track_of_rank) {
  Timeline chosen{.name = timeline.name,
                  .lanes = timeline.lanes,
                  .infos = timeline.infos,
                  .end = timeline.end,
                  .measurement = timeline.measurement};
  Copying copying(timeline, chosen);
  for (const int rank : ranks) {
    const std::int32_t number = track_of_rank[static_cast<std::size_t>(rank)];
    Track track = timeline.tracks[static_cast<std::size_t>(number)];
    const bool is_shown = track.rank.value == rank;
    if (!is_shown) track.host.clear();
    track.rank = Rank{rank};
    track.ranks = 1;
    chosen.tracks.push_back(track);
    copying.copy(number, is_shown);
  }
  return chosen;
}

}  // namespace quintet
