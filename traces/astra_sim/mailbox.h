// Which message is for whom: by ASTRA-sim's rules the n-th message of a tag and size between two
// ranks is for the n-th that waits for such a one, whichever is there first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace quintet {

struct MessageKey {
  std::int64_t tag = 0, size = 0;
  std::int32_t from = 0, to = 0;
  bool operator==(const MessageKey&) const = default;
};

// Who waits: the owner's numbers.
struct Receiver {
  enum class Kind : std::uint8_t { piece, task };
  Kind kind = Kind::piece;
  std::int32_t number = -1;
};

// Memory grows with what is unmatched, not with what went through.
class Mailbox {
 public:
  Mailbox();
  // A message has come: who waited longest for it, or nobody yet.
  std::optional<Receiver> put(const MessageKey& key);
  // Whether such a message lay there, which is taken; otherwise the receiver waits.
  bool take(const MessageKey& key, Receiver receiver);
  std::size_t unmatched() const { return used_; }  // keys
  // One that is waited for and has not come; nothing if there is none.
  std::optional<MessageKey> awaited() const;

 private:
  struct Slot {
    MessageKey key;
    std::int32_t come = 0;               // messages that nobody took
    std::int32_t first = -1, last = -1;  // of those who wait
    bool used = false;
  };
  struct Waiting {
    Receiver receiver;
    std::int32_t next = -1;
  };
  Slot& slot_of(const MessageKey& key);
  void drop_if_empty(Slot& slot);
  std::size_t home_of(const MessageKey& key) const;
  void grow();

  std::vector<Slot> slots_;  // open addressing; a power of two of them
  std::size_t used_ = 0;
  std::vector<Waiting> waiting_;
  std::int32_t free_ = -1;
};

}  // namespace quintet
