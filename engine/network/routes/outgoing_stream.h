// All that goes from this rank to another: messages, cut into numbered segments, which are kept
// until the other side has them, so that another connection can take over in the middle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "engine/network/routes/route_frame.h"

namespace quintet::engine {

class BackgroundWork;  // engine/network/transport

// Who is told that a message is over: as the transport knows its movements.
struct Addressee {
  BackgroundWork* work = nullptr;
  std::uint32_t slot = 0;
};

class OutgoingStream {
 public:
  // The bytes must stay until taken_over() has the addressee: at the latest when the other side has
  // all of them; where they are few, when the kernel has taken them and they were copied.
  void add(std::uint64_t tag, std::span<const std::byte> bytes, const Addressee& addressee);

  enum class Written { all, some, broken };
  Written write_to(int socket);  // never blocks; some: the socket is full

  // A connection whose other end had all up to `number` when it came about, and may have more by
  // now; from here on it is the one. False: that cannot be.
  bool resume(std::uint64_t number);
  bool received(std::uint64_t number);
  bool wanted(std::uint64_t message);

  // On hold, only what was begun is written: so that another connection can take over in order.
  void hold(bool held) { held_ = held; }
  bool drained() const { return log_.empty(); }  // nothing begun is missing there
  bool unfinished() const { return !messages_.empty(); }
  bool wants_to_write() const;

  std::size_t under_way() const;  // addressees that have not been told
  std::vector<Addressee> take_over();
  void forget();  // everything; nobody is told any more

 private:
  struct Message {
    std::uint64_t tag = 0;
    std::span<const std::byte> bytes;
    std::vector<std::byte> kept;
    Addressee addressee;
    std::size_t cut = 0;
    std::uint64_t last_segment = 0;  // 0: not all is cut
    bool offered = false, wanted = false, told = false;
  };

  bool cut();
  void tell(Message& message);
  void written(const RouteHead& head);
  void drop_first();

  std::map<std::uint64_t, Message> messages_;
  std::deque<std::uint64_t> ready_;  // messages with something to cut; they take turns
  std::deque<RouteHead> log_;        // cut, and not known to have come
  std::size_t next_ = 0;             // of the log: the first that this connection has not had whole
  std::size_t written_ = 0;          // bytes of it
  std::uint64_t last_message_ = 0, last_segment_ = 0;
  bool held_ = false;
  std::vector<Addressee> over_;
};

}  // namespace quintet::engine
