// Whom a span that waits waits for: the other end of a message, the last member of a collective.
// For this room and `path`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/explain/difference/matched_spans.h"
#include "sim/timeline/timeline.h"

namespace quintet {

inline constexpr std::int32_t nobody = -1;

struct Awaited {
  std::int32_t track = nobody;
  Instant comes;
};

class Peers {
 public:
  // The timeline must outlive this. `same`: per info another, or itself, whose collectives are the
  // same ones, as those of several stages' scripts are; empty: each is its own.
  explicit Peers(const Timeline& timeline, std::vector<std::int32_t> same = {});

  // Whom a span waits for, and until when.
  Awaited of(std::size_t number) const;

 private:
  using Ends = std::unordered_map<std::int32_t, std::size_t>;  // by flow

  // A member of a collective, and which one: several groups may do the same one.
  struct Member {
    SpanKey key;
    std::int32_t track = 0;
    Instant start;
    std::size_t span = 0;
  };

  SpanKind kind_of(std::size_t number) const {
    return timeline_.infos[static_cast<std::size_t>(timeline_.spans[number].info)].kind;
  }
  std::int32_t collective_of(const Span& span) const {
    return same_.empty() ? span.info : same_[static_cast<std::size_t>(span.info)];
  }
  Awaited other_end(const Ends& ends, std::size_t number) const;
  Awaited last_to_come(std::size_t number) const;
  // Collectives that nobody ever waits in are left out: most are, in folded timelines.
  std::vector<bool> infos_with_waiting() const;
  void find_members();
  void number_occurrences(std::vector<Member>& members) const;

  const Timeline& timeline_;
  std::vector<std::int32_t> same_;
  Ends sends_, receives_;
  // Members by collective, of each in order of start; of each where they begin and end.
  struct Coming {
    Instant start;
    std::int32_t track = 0;
  };
  std::vector<Coming> coming_;
  std::vector<std::size_t> begins_;
  // Which collective a span is of: spans in ascending order.
  struct Place {
    std::size_t span = 0;
    std::size_t collective = 0;
  };
  std::vector<Place> places_;
};

}  // namespace quintet
