// Toys on stand-ins for devices: a thread and a device of its own per rank.
#pragma once

#include "tests/stand_ins/fake_device.h"
#include "tests/support/toy_steps.h"

namespace quintet::engine::test {

// A device's memory is the host's here, so threads may exchange it when what is on the stream is
// done; the ticket is then over for whatever is queued later.
class WaitingBackend : public CommunicationBackend {
 public:
  WaitingBackend(kernels::Device& device, CommunicationBackend& inner)
      : device_(device), inner_(inner) {}

  Ticket start(const CollectiveCall& work) override {
    device_.synchronise(work.stream);
    return inner_.start(work);
  }
  Ticket send(const SendWork& work) override {
    device_.synchronise(work.stream);
    return inner_.send(work);
  }
  Ticket receive(const ReceiveWork& work) override {
    device_.synchronise(work.stream);
    return inner_.receive(work);
  }
  Result<std::vector<Completion>> finished(std::span<const Ticket> tickets,
                                           Patience patience) override {
    return inner_.finished(tickets, patience);
  }
  void abort(const Error& cause) override { inner_.abort(cause); }

 private:
  kernels::Device& device_;
  CommunicationBackend& inner_;
};

struct OnDevice {
  DeviceOptions options{};
  std::uint64_t seed = 1;
  std::size_t device_bytes = std::size_t{1} << 30;
  CallCounts* counts = nullptr;
};

// Small pieces, so that they are used up and more are taken before a step; within one the last must
// do, whatever order messages arrive in.
inline OnDevice small_pieces(std::uint64_t seed) {
  return {{.memory = {.more = std::size_t{256} << 10}}, seed};
}

inline RankCurve train_rank_on_device(const Toy& toy, const Program& program, Rank rank,
                                      CommunicationBackend& inner, int steps, const OnDevice& how) {
  const auto device = fake_device({.seed = how.seed * 1000 + static_cast<std::uint64_t>(rank.value),
                                   .memory_bytes = how.device_bytes,
                                   .counts = how.counts});
  WaitingBackend backend(*device, inner);
  auto executor =
      RankExecutor::make(executor_input(toy, program, rank), *device, how.options, backend);
  if (executor) return train_rank(toy, program, rank, **executor, steps);
  RankCurve curve;
  curve.error = executor.error();
  backend.abort(executor.error());
  return curve;
}

inline Curve train_on_devices(const Toy& toy, int steps, const OnDevice& how) {
  const Program program = program_of(toy);
  return train_in_threads(program, steps, [&](Rank rank, CommunicationBackend& backend) {
    return train_rank_on_device(toy, program, rank, backend, steps, how);
  });
}

}  // namespace quintet::engine::test
