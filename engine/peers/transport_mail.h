// Mail between ranks that are processes.
#pragma once

#include "engine/network/transport/transport.h"
#include "engine/peers/rank_mail.h"

namespace quintet::engine {

class TransportMail final : public RankMail {
 public:
  // The transport must outlive it. `within`: for each piece of mail; who misses it ends the job.
  explicit TransportMail(Transport& transport, Milliseconds within = Milliseconds(60000))
      : transport_(transport), within_(within) {}

  Rank rank() const override { return transport_.rank(); }
  int world() const override { return transport_.world(); }

  std::optional<Error> give(Rank to, std::uint64_t label,
                            std::span<const std::byte> bytes) override;
  std::optional<Error> take(Rank from, std::uint64_t label, std::span<std::byte> bytes) override;
  std::optional<Error> ask(Rank peer, const Question& question) override;

 private:
  Transport& transport_;
  Milliseconds within_;
};

}  // namespace quintet::engine
