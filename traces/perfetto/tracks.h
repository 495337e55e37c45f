// A trace's tracks: whose they are, what they are called, and whether a GPU's stream is what they
// show.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "traces/trace/rank_trace.h"

namespace perfetto::protos {
class TrackDescriptor;
}

namespace quintet::perfetto_trace {

struct EventTrack {
  std::uint64_t uuid = 0, parent = 0;
  std::string name, thread_name, process_name, description;
  std::optional<std::int64_t> process, thread;  // ids that the descriptor has itself
  bool counter = false;
};

class Tracks {
 public:
  void take(const perfetto::protos::TrackDescriptor& descriptor);
  // Index; one that was never described is there from now on.
  std::int32_t of(std::uint64_t uuid);
  const EventTrack& at(std::int32_t track) const { return all_[static_cast<std::size_t>(track)]; }
  std::size_t size() const { return all_.size(); }

  // Its own or an ancestor's; none: it has none.
  std::optional<std::int64_t> process_of(std::int32_t track) const;
  RecordedRow row_of(std::int32_t track) const;
  bool is_stream(std::int32_t track) const;
  std::string process_name(std::int64_t process) const;

 private:
  // The track and its ancestors, it first; at most 16, since descriptors may lead round.
  std::vector<std::int32_t> line_of(std::int32_t track) const;

  std::vector<EventTrack> all_;
  std::unordered_map<std::uint64_t, std::int32_t> numbers_;
};

// The number behind a word: "GPU 3", "rank 12 (stage 1)"; none: the text does not begin so.
std::optional<std::int64_t> number_behind(std::string_view text, std::string_view word);

}  // namespace quintet::perfetto_trace
