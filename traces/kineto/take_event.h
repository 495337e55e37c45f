// An event of the file becomes one of the trace.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "traces/kineto/event_fields.h"
#include "traces/kineto/trace_parts.h"

namespace quintet::kineto {

// Keeps what it has found out about names.
class EventTaker {
 public:
  // `part_read` is which part of the file's events has been taken, about.
  EventTaker(TraceParts& parts, std::function<double()> part_read)
      : parts_(parts), part_read_(std::move(part_read)) {}
  // Returns what is wrong with it, or nothing. What is not understood is counted.
  std::optional<std::string> take(const EventFields& fields);

 private:
  std::optional<std::string> complete(const EventFields& fields);
  void metadata(const EventFields& fields);
  void arrow(const EventFields& fields);
  void leave_out(std::string what);
  void add(TraceEvent event, Category category, const EventFields& fields);
  std::int32_t row_of(Category category, const EventFields& fields);

  void kernel(TraceEvent& event, const EventFields& fields);
  void copy(TraceEvent& event, const EventFields& fields);
  void call(TraceEvent& event);
  void operation(TraceEvent& event, const EventFields& fields);
  void annotation(const TraceEvent& event, const EventFields& fields);
  void synchronisation(TraceEvent event, const EventFields& fields);
  bool communication(TraceEvent& event, const EventFields& fields);

  const CallMeaning& call_named(std::int32_t name);
  const std::optional<pytorch::KernelCommunication>& kernel_named(std::int32_t name);

  // Appends, and returns the index. Room is made for as many as the whole file is likely to have:
  // a vector that doubles has two and three times its size in memory while it does.
  template <class Element>
  std::int32_t put(std::vector<Element>& all, Element element) {
    if (all.size() == all.capacity()) all.reserve(likely_count(all.size()));
    all.push_back(std::move(element));
    return static_cast<std::int32_t>(all.size()) - 1;
  }
  std::size_t likely_count(std::size_t so_far) const;

  TraceParts& parts_;
  std::function<double()> part_read_;
  std::string types_;  // of one operation
  // By name; of names that were no call's or kernel's, nothing.
  std::vector<std::optional<CallMeaning>> calls_;
  std::vector<std::optional<std::optional<pytorch::KernelCommunication>>> kernels_;
};

}  // namespace quintet::kineto
