// Moving byte ranges between ranks, as the progress thread sees it: nothing blocks, and whoever
// asked is told when a movement is over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/base/ids.h"

namespace quintet::engine {

// What a send and its receive agree on. Two of one sender to one receiver must differ while both
// are under way.
struct Tag {
  std::uint64_t value = 0;
  bool operator==(const Tag&) const = default;
};

// The top bits part the three users of tags; the sender's rank keeps senders apart.
constexpr int tag_bits = 48;
constexpr int message_tag_bits = 49;
constexpr int rank_bits = 14;  // 16,384 ranks
constexpr Tag collective_tag(Rank sender, std::uint64_t content) {
  return {(std::uint64_t{1} << 62) | (static_cast<std::uint64_t>(sender.value) << tag_bits) |
          content};
}
// The executor's messages have these tags (engine/communicator).
constexpr Tag message_tag(Rank sender, std::uint64_t content) {
  return {(std::uint64_t{1} << 63) |
          (static_cast<std::uint64_t>(sender.value) << message_tag_bits) | content};
}
// Transport::send and receive use these tags.
constexpr Tag direct_tag(Rank sender, std::uint64_t content) {
  return {(static_cast<std::uint64_t>(sender.value) << tag_bits) | content};
}

class BackgroundWork;

class Wire {
 public:
  virtual ~Wire() = default;
  virtual Rank rank() const = 0;
  // The bytes must stay until work.moved(slot). A movement that fails is not reported: its
  // work ends with the job.
  virtual void send(Rank to, Tag tag, std::span<const std::byte> bytes, BackgroundWork& work,
                    std::uint32_t slot) = 0;
  virtual void receive(Rank from, Tag tag, std::span<std::byte> bytes, BackgroundWork& work,
                       std::uint32_t slot) = 0;
};

}  // namespace quintet::engine
