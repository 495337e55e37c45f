// Bytes that ranks hand each other beside what they train with: clocks, spans, figures of a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sim/base/ids.h"
#include "sim/base/result.h"

namespace quintet::engine {

// Both labels are of the users' choice (transport.h, label_in).
struct Question {
  std::uint64_t label = 0;
  std::uint64_t reply_label = 0;
  std::span<std::byte> reply;
};

// One per rank, used by one thread. All of it waits; the error names the rank that failed.
// Giver and taker know the size; what goes from one rank to another by one label keeps its order.
class RankMail {
 public:
  RankMail() = default;
  RankMail(const RankMail&) = delete;
  RankMail& operator=(const RankMail&) = delete;
  virtual ~RankMail() = default;

  virtual Rank rank() const = 0;
  virtual int world() const = 0;

  virtual std::optional<Error> give(Rank to, std::uint64_t label,
                                    std::span<const std::byte> bytes) = 0;
  virtual std::optional<Error> take(Rank from, std::uint64_t label, std::span<std::byte> bytes) = 0;
  // Gives nothing but the label and takes the reply, with as little in between as there can be.
  virtual std::optional<Error> ask(Rank peer, const Question& question) = 0;
};

}  // namespace quintet::engine
