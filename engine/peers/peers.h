// What the ranks of a job tell each other beside what they train with: bytes (clocks, spans,
// figures of a step), short texts (what a checkpoint needs all to know), and that one of them
// failed, since NCCL, say, knows no causes. Implementations: ThreadPeers and TransportPeers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/communication/communication_backend.h"
#include "sim/base/ids.h"
#include "sim/base/result.h"

namespace quintet::engine {

// Both labels are of the users' choice (transport.h, label_in).
struct Question {
  std::uint64_t label = 0;
  std::uint64_t reply_label = 0;
  std::span<std::byte> reply;
};

// One per rank, used by one thread, but for failure() and abort(). Errors name the rank that
// failed.
class Peers {
 public:
  Peers() = default;
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;
  virtual ~Peers() = default;

  virtual Rank rank() const = 0;
  virtual int world() const = 0;

  // Bytes, waited for. Giver and taker know the size; what goes from one rank to another by one
  // label keeps its order.
  virtual std::optional<Error> give(Rank to, std::uint64_t label,
                                    std::span<const std::byte> bytes) = 0;
  virtual std::optional<Error> take(Rank from, std::uint64_t label, std::span<std::byte> bytes) = 0;
  // Gives nothing but the label and takes the reply, with as little in between as there can be.
  virtual std::optional<Error> ask(Rank peer, const Question& question) = 0;

  // Texts, cut where they are longer. Those from one rank to another arrive in their order.
  static constexpr std::size_t longest_text = 4000;
  virtual void send_text(Rank to, const std::string& text) = 0;  // does not wait
  // The next text of that rank; without patience nothing if it is not there yet.
  virtual Result<std::optional<std::string>> receive_text(Rank from, Patience patience) = 0;

  // Failures: of any rank, and the end of the job on every rank.
  virtual std::optional<Error> failure() const = 0;
  virtual void abort(const std::string& cause) = 0;
};

// What every rank has to say becomes what every rank knows, through rank 0. `all`: room for every
// rank's part, all of mine's size. Uses the label and the next one.
std::optional<Error> exchange(Peers& peers, std::uint64_t label, std::span<const std::byte> mine,
                              std::span<std::byte> all);

// This exchanges plain data as it lies, which is the same way on every rank of a job.
template <class Plain>
Result<std::vector<Plain>> exchanged(Peers& peers, std::uint64_t label, const Plain& mine) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  std::vector<Plain> all(static_cast<std::size_t>(peers.world()));
  if (auto failed = exchange(peers, label, std::as_bytes(std::span(&mine, 1)),
                             std::as_writable_bytes(std::span(all))))
    return *failed;
  return all;
}

// "rank 3: ..." in front of where it went wrong.
Error error_of(Rank rank, const Error& error);

// A text or an error as one text, and back.
std::string report_text(const Result<std::string>& report);
Result<std::string> parse_report(const std::string& text);

// The next report of the rank, waited for.
Result<std::string> awaited(Peers& peers, Rank from);

// On rank 0: every rank's text, or the first error with its rank. Elsewhere: nothing in it.
Result<std::vector<std::string>> gathered(Peers& peers, const Result<std::string>& mine);
// Rank 0's answer, on every rank.
Result<std::string> told(Peers& peers, const Result<std::string>& answer);
// Nothing where all ranks have no error; the same error on all of them otherwise: nobody goes on
// while another could not.
std::optional<Error> agreed(Peers& peers, const std::optional<Error>& mine);

}  // namespace quintet::engine
