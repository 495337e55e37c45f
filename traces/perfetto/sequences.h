// What packets of one sequence (one writer) may refer to: texts that came before, the default
// track, clocks of its own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace perfetto::protos {
class ClockSnapshot;
class InternedData;
class TracePacket;
}  // namespace perfetto::protos

namespace quintet::perfetto_trace {

// A clock that is valid in one sequence.
struct SequenceClock {
  std::int64_t nanoseconds = 0;  // of the trace's clock, at
  std::uint64_t value = 0;       // this value of its own
  std::uint64_t unit = 1;        // nanoseconds
  bool incremental = false;      // packets tell how much it went on since the last
};

struct Sequence {
  using Texts = std::unordered_map<std::uint64_t, std::string>;
  Texts categories, names, annotation_names, annotation_texts;
  std::uint64_t default_track = 0;
  std::uint32_t default_clock = 0;  // 0: the trace's
  std::map<std::uint32_t, SequenceClock> clocks;
};

class Sequences {
 public:
  // Takes in what the packet tells of its sequence, which it returns.
  Sequence& take(const perfetto::protos::TracePacket& packet);

  // Nanoseconds of the trace's clock; none: by a clock that nobody has explained.
  std::optional<std::int64_t> instant(const perfetto::protos::TracePacket& packet,
                                      Sequence& sequence) const;
  // What the real time is ahead of the trace's clock; 0: not known.
  std::int64_t real_time() const { return real_time_.value_or(0); }

 private:
  void take_clocks(const perfetto::protos::ClockSnapshot& snapshot, Sequence& sequence);

  std::unordered_map<std::uint32_t, Sequence> all_;
  std::map<std::uint32_t, std::int64_t> ahead_;  // of other built-in clocks, before the trace's
  std::optional<std::int64_t> real_time_;
};

// Empty where nothing was interned under that number.
std::string_view text_of(const Sequence::Texts& texts, std::uint64_t number);

}  // namespace quintet::perfetto_trace
