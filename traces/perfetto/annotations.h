// What is noted of one slice, under Kineto's names.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "traces/perfetto/sequences.h"
#include "traces/trace/trace_draft.h"

namespace perfetto::protos {
class TrackEvent;
}

namespace quintet::perfetto_trace {

class Annotations {
 public:
  Annotations(const perfetto::protos::TrackEvent& event, const Sequence& sequence);

  std::optional<std::int64_t> integer(std::string_view name) const;
  std::string_view text(std::string_view name) const;
  bool has(std::string_view name) const { return notes_.count(name) > 0; }

 private:
  struct Note {
    std::optional<std::int64_t> integer;
    std::string text;
  };
  std::map<std::string, Note, std::less<>> notes_;
};

// The event's kind by its category, else by where it is and what it is called; and its facts.
struct SliceKind {
  std::string_view category, name;
  bool on_stream = false;
};
void describe(const SliceKind& slice, const Annotations& notes, TraceDraft& draft,
              TraceEvent& event);

}  // namespace quintet::perfetto_trace
