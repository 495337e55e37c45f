// A rank's streams on a device, one per lane of its program, and what each of them is known to come
// after: a wait is queued only where none before it covers it, and for the earliest event that will
// do, so that a lane never waits for more than it must.
#pragma once

#include <deque>
#include <vector>

#include "engine/device/places.h"
#include "kernels/device.h"

namespace quintet::engine {

class Streams {
 public:
  Streams(kernels::Device& device, const std::vector<kernels::Urgency>& lanes);
  ~Streams();
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  std::size_t count() const { return lanes_.size(); }
  kernels::Stream& stream(std::size_t lane) { return lanes_[lane].stream; }

  // The event that covers what is queued on the lane now.
  std::uint64_t next(std::size_t lane) const { return lanes_[lane].recorded + 1; }
  // Makes it.
  void record(std::size_t lane);
  bool ordered(std::size_t lane, const Places& before) const;
  // What is queued on the lane from now on comes after those places.
  void order(std::size_t lane, const Places& before);
  // A lane has come to wait for all others, and whatever is queued from here on comes after that:
  // nobody waits for an earlier event any more. The events are kept until over().
  void end_step();
  // The host has waited for the end of the oldest step that was ended: its events are free.
  void over();
  // What was queued since the last step has become a graph: all of it comes before what the lane it
  // is launched on does next, and no event of it may be waited for.
  void become_graph();
  // Gives, per lane of the oldest step that is not over, the first event that has not happened; 0:
  // all have. Graphs have none.
  Places undone() const;

 private:
  void all_known();
  struct Recorded {
    kernels::StreamEvent event;
    Places known{};  // what has happened when the event has
  };
  struct Lane {
    kernels::Stream stream;
    std::uint64_t recorded = 0;
    std::deque<Recorded> events;  // the last ones
    Places known{};               // what the stream's end comes after
  };
  struct Passed {
    std::size_t lane = 0;
    std::uint64_t number = 0;
    kernels::StreamEvent event{};
  };
  std::vector<Passed> of_this_step() const;

  kernels::StreamEvent take_event();
  const Recorded& event(std::size_t lane, std::uint64_t number) const;

  kernels::Device& device_;
  std::vector<Lane> lanes_;
  std::vector<kernels::StreamEvent> free_, of_graphs_;
  std::deque<std::vector<Passed>> ended_;  // steps, by age
};

}  // namespace quintet::engine
