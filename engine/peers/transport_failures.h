// Failures as the transport tells them to every rank: death, silence, missed deadlines, aborts.
#pragma once

#include "engine/network/transport/transport.h"
#include "engine/peers/job_failures.h"

namespace quintet::engine {

class TransportFailures final : public JobFailures {
 public:
  explicit TransportFailures(Transport& transport) : transport_(transport) {}

  std::optional<Error> failure() const override {
    const std::optional<Failure> failure = transport_.failure();
    return failure ? std::optional(failure->error()) : std::nullopt;
  }
  void abort(const std::string& cause) override { transport_.abort(cause); }

 private:
  Transport& transport_;  // outlives this
};

}  // namespace quintet::engine
