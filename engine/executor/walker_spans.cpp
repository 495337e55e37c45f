// What a walk tells of its tasks' times: the host's, or a device's.
#include <algorithm>
#include <cmath>

#include "engine/executor/walker.h"

namespace quintet::engine {

namespace {

Instant since(Clock::time_point origin, Clock::time_point time) {
  const auto passed = std::chrono::duration_cast<std::chrono::nanoseconds>(time - origin);
  return {passed.count() * 1000};
}

}  // namespace

void Walker::tell(int task, const Times& times) {
  if (!place_.on_device()) {
    add_span(task, since(origin_, times.start), since(origin_, times.moving),
             since(origin_, std::max(times.moving, times.end)));
    walked_.cpu.push_back(times.cpu);
  } else if (place_.timed()) {
    timed_.push_back({task, times.moment, place_.moment()});
  } else if (place_.recorder() != nullptr && !is_compute_[lane(task)]) {
    host_times_[task] = times;
  }
}

// The first moment was when the device had nothing to do.
void Walker::add_timed_spans(const Queued& step) {
  const Instant first = since(origin_, step.began);
  const auto time_of = [&](int moment) {
    return Instant{first.picoseconds + std::llround(place_.seconds_until(moment) * 1e12)};
  };
  for (const Timed& each : timed_) {
    const Instant start = time_of(each.start);
    add_span(each.task, start, start, time_of(each.end));
  }
}

// A task's span is what the device did for it. Communication that asked nothing of the device went
// through the host, whose times it has; a task for which nothing was recorded takes no time, where
// its lane stands.
void Walker::add_recorded_spans(const Queued& step) {
  const Attribution found = attribute(place_.recorder()->collect(), step.number);
  walked_.records = found.counts;
  std::vector<Instant> reached(program_.lanes.size(), since(origin_, step.began));
  auto next = found.work.begin();
  for (int task = 0; task < static_cast<int>(list_.tasks.size()); ++task) {
    const auto host = host_times_.find(task);
    Instant& here = reached[lane(task)];
    if (next != found.work.end() && next->task == task) {
      add_span(task, since(origin_, Clock::time_point(next->start)),
               since(origin_, Clock::time_point(next->start)),
               since(origin_, Clock::time_point(next->end)));
      walked_.notes.push_back(note_of(*next++));
    } else if (host != host_times_.end()) {
      const Times& times = host->second;
      add_span(task, since(origin_, times.start), since(origin_, times.moving),
               since(origin_, std::max(times.moving, times.end)));
      walked_.notes.emplace_back();
    } else {
      add_span(task, here, here, here);
      walked_.notes.emplace_back("nothing recorded");
    }
    here = std::max(here, walked_.spans.back().end);
  }
}

void Walker::add_span(int task, Instant start, Instant moving, Instant end) {
  const Task& which = list_.task(task);
  const Call& from = call(task);
  Span span;
  span.info = which.instruction;
  span.start = start;
  span.moving = moving;
  span.end = end;
  span.layer = which.layer;
  span.micro_batch = from.micro_batch;
  span.chunk = static_cast<std::int16_t>(from.chunk);
  span.bucket = static_cast<std::int16_t>(from.bucket);
  walked_.spans.push_back(span);
}

}  // namespace quintet::engine
