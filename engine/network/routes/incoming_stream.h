// All that comes to this rank from another: segments in their order, whichever connection brings
// them, put where the message was asked to go, or kept until it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/network/routes/outgoing_stream.h"
#include "engine/network/routes/route_frame.h"

namespace quintet::engine {

class IncomingStream {
 public:
  // The bytes are the stream's until taken_over() has the addressee.
  void receive(std::uint64_t tag, std::span<std::byte> bytes, const Addressee& addressee);
  void arrive_whole(std::uint64_t tag, std::span<const std::byte> bytes);  // from this rank itself
  bool expects(std::uint64_t tag) const { return asked_.contains(tag); }

  // Where a segment's bytes go from `got` on; null: it has come already, and is not wanted.
  std::byte* place(const RouteHead& head, std::size_t got);
  // It is here whole. False: no sender of ours says that.
  bool arrived(const RouteHead& head);
  // Whether the head may come now: the next of the stream, or one that was sent twice.
  bool fits(const RouteHead& head) const;

  std::uint64_t last() const { return last_; }  // all segments up to it have come
  bool acknowledged() const { return acknowledged_ == last_ && !again_ && asked_for_.empty(); }
  // What an acknowledgement says: what came, and which of the offered messages to send. A new
  // connection is told of all that were asked for: the last may not have heard.
  std::vector<RouteHead> acknowledge();
  void ask_again();
  // Enough has come that the sender should hear of it while more comes.
  bool owes() const;

  std::size_t under_way() const;
  std::vector<Addressee> take_over();
  // A message was not as long as it was expected to be: what to say of it.
  const std::optional<std::string>& mismatch() const { return mismatch_; }
  void forget();

 private:
  struct Message {
    std::uint64_t tag = 0;
    std::size_t total = 0, came = 0;
    std::span<std::byte> target;  // the receiver's; empty: own
    std::vector<std::byte> own;
    std::optional<Addressee> addressee;
    bool offered = false;
    bool whole() const { return came == total; }
  };
  struct Asked {
    std::span<std::byte> bytes;
    Addressee addressee;
  };

  Message& begin(std::uint64_t id, const RouteHead& head);
  void match(std::uint64_t id, Message& message, const Asked& asked);
  void finish(std::uint64_t id);

  std::map<std::uint64_t, Message> messages_;
  std::unordered_map<std::uint64_t, std::deque<Asked>> asked_;            // by tag
  std::unordered_map<std::uint64_t, std::deque<std::uint64_t>> waiting_;  // by tag: nobody asked
  std::uint64_t last_ = 0, acknowledged_ = 0;
  bool again_ = false;  // something came twice: the sender has not heard
  std::size_t bytes_since_ = 0;
  std::uint64_t own_messages_ = 0;  // arrive_whole(): counted from the other end
  std::vector<std::uint64_t> asked_for_;
  std::vector<Addressee> over_;
  std::optional<std::string> mismatch_;
};

}  // namespace quintet::engine
