// One rank's part of a schedule for a buffer of a given size: chunks are cut into segments, a
// segment of a transfer is a message. Messages go in the schedule's order, but need not wait for
// whole steps: a segment is passed on as soon as it has been received and added.
//
// Why this ends: sends and receives of all ranks follow one order (step, segment, place in the
// schedule), each waits only for earlier ones, and windows take them from the front. So the first
// message not yet over is in both its windows, and nothing stops it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/ccl/schedule.h"

namespace quintet::engine {

// Where what arrives goes.
enum class Landing {
  in_place,
  copy_later,   // something still leaves from there
  add,          // to the buffer
  hold,         // the first of the terms that come before this rank's own
  add_to_held,  // a later one of them
};
enum class AfterLanding {
  nothing,
  add_held
};  // add_held: to the buffer; this was the last of them

struct Message {
  int peer = 0;  // position in the group
  int step = 0;
  std::size_t offset = 0, size = 0;  // bytes of the buffer (all-to-all: of its side of it)
  std::uint32_t number = 0;          // counts the messages from one rank to another
  std::uint32_t cell = 0;            // the segment of the buffer, among those this rank touches
  // What must be over at that cell before.
  std::uint32_t received_before = 0, sent_before = 0;
  Landing landing = Landing::in_place;
  AfterLanding after = AfterLanding::nothing;
};

struct Messages {
  std::vector<Message> sends, receives;  // each in order
  std::uint32_t cells = 0;
  std::size_t longest = 0;           // bytes
  std::uint32_t receive_window = 0;  // at least so many receives must be open at once
};

struct BufferShape {
  std::size_t elements = 0;  // all_to_all: a multiple of the ranks
  std::size_t element_size = 4;
  std::size_t segment = 256 * 1024;  // bytes, at most
};

// `position` is the rank's place in the schedule.
Messages messages_of(const Schedule& schedule, int position, const BufferShape& shape);

// Chunk i of `chunks`, in elements: as equal as whole elements allow.
struct ChunkRange {
  std::size_t begin = 0, end = 0;
  bool operator==(const ChunkRange&) const = default;
};
ChunkRange part_of(std::size_t elements, int chunks, int chunk);

}  // namespace quintet::engine
