// One rank alone, with a communicator that makes up what the others would bring, on the stream and
// at once: tickets are over when they are given, as with a library that queues collectives, so the
// host runs ahead of everything. What comes out is no training, but it is the same numbers wherever
// and in whatever order it is computed.
#pragma once

#include <cstring>

#include "sim/program/groups.h"
#include "tests/stand_ins/on_device.h"

namespace quintet::engine::test {

// All members bring what this one brings; messages are a pattern.
class MirrorBackend : public CommunicationBackend {
 public:
  // On the host without a device.
  MirrorBackend(const Program& program, Rank rank, kernels::Device* device)
      : program_(program),
        rank_(rank),
        device_(device),
        kernels_(device ? device->make_kernels() : kernels::reference_kernels()) {
    for (std::size_t place = 0; place < pattern_floats; ++place)
      numbers_[place] = 0.01F * static_cast<float>(place % 97) - 0.5F;
    for (std::size_t ranks = 0; ranks < most_ranks; ++ranks)
      numbers_[pattern_floats + ranks] = static_cast<float>(ranks);
    if (!device) return;
    memory_ = static_cast<float*>(device->allocate(numbers_.size() * sizeof(float)));
    device->copy(memory_, numbers_.data(), numbers_.size() * sizeof(float), {});
    // A library loads its kernels where its communicators are made, not in a step.
    kernels::Stream stream;
    kernels_->scale({1, {memory_, kernels::ElementType::fp32}, numbers() + pattern_floats + 1},
                    stream);
    device->synchronise(stream);
  }
  ~MirrorBackend() override {
    if (device_) device_->free(memory_);
  }

  Ticket start(const CollectiveCall& work) override {
    const std::vector<Rank> group =
        group_of(program_.grid, program_.communicators[work.communicator.index()], rank_);
    if (work.kind == CollectiveKind::all_gather)
      gather(work, group);
    else if (work.reduction == Reduction::sum)
      multiply(work, group.size());
    return next();
  }
  Ticket send(const SendWork&) override { return next(); }
  Ticket receive(const ReceiveWork& work) override {
    constexpr std::size_t all = pattern_floats * sizeof(float);
    for (std::size_t done = 0; done < work.message.size(); done += all)
      copy(work.message.data() + done, reinterpret_cast<const std::byte*>(numbers()),
           std::min(all, work.message.size() - done), work.stream);
    return next();
  }
  Result<std::vector<Completion>> finished(std::span<const Ticket> tickets, Patience) override {
    std::vector<Completion> all;
    for (std::size_t place = 0; place < tickets.size(); ++place)
      all.push_back({place, Clock::now(), Clock::now()});
    return all;
  }
  bool queues_all() const override { return true; }
  void abort(const Error&) override {}

 private:
  static constexpr std::size_t pattern_floats = 4096, most_ranks = 17;

  Ticket next() { return {++tickets_}; }
  const float* numbers() const { return device_ ? memory_ : numbers_.data(); }
  void copy(std::byte* to, const std::byte* from, std::size_t bytes,
            const kernels::Stream& stream) {
    if (device_)
      device_->copy(to, from, bytes, stream);
    else
      std::memcpy(to, from, bytes);
  }
  void multiply(const CollectiveCall& work, std::size_t ranks) {
    kernels::Stream stream = work.stream;
    const auto count =
        static_cast<Index>(work.buffer.size()) / static_cast<Index>(size_of(work.type).value);
    kernels_->scale(
        {count, {work.buffer.data(), kernel_type(work.type)}, numbers() + pattern_floats + ranks},
        stream);
  }
  void gather(const CollectiveCall& work, const std::vector<Rank>& group) {
    const std::size_t part = work.buffer.size() / group.size();
    const auto mine =
        static_cast<std::size_t>(std::find(group.begin(), group.end(), rank_) - group.begin());
    for (std::size_t other = 0; other < group.size(); ++other)
      if (other != mine)
        copy(work.buffer.data() + other * part, work.buffer.data() + mine * part, part,
             work.stream);
  }

  const Program& program_;
  Rank rank_;
  kernels::Device* device_;
  std::unique_ptr<kernels::Kernels> kernels_;
  std::vector<float> numbers_ = std::vector<float>(pattern_floats + most_ranks);
  float* memory_ = nullptr;
  std::uint64_t tickets_ = 0;
};

struct Mirrored {
  std::vector<double> numbers;  // loss and norm of every step, then some weights
  std::int64_t launches = 0;
};

inline void add_steps(const Toy& toy, const Program& program, Rank rank, RankExecutor& executor,
                      int steps, Mirrored& result) {
  const int replica = coordinate(program.grid, rank, Axis::data);
  for (int step = 0; step < steps; ++step) {
    executor.set_learning_rate(1e-3F * static_cast<float>(step + 1));
    const auto report = executor.step(step_input(toy, step, replica));
    if (!report) throw std::runtime_error(report.error().text());
    result.numbers.push_back(report->loss_sum);
    result.numbers.push_back(report->gradient_norm);
  }
  for (const KeptStretch& kept : executor.state().kept())
    executor.place().read(kept.weights, kept.count, [&](const float* weights) {
      for (Index place = 0; place < kept.count; ++place)
        result.numbers.push_back(static_cast<double>(weights[place]));
    });
  result.launches = executor.launches();
}

inline Mirrored mirrored_on_host(const Toy& toy, Rank rank, int steps) {
  const Program program = program_of(toy);
  const auto kernels = kernels::reference_kernels();
  MirrorBackend backend(program, rank, nullptr);
  const auto executor = RankExecutor::make(executor_input(toy, program, rank), *kernels, backend);
  if (!executor) throw std::runtime_error(executor.error().text());
  Mirrored result;
  add_steps(toy, program, rank, **executor, steps, result);
  return result;
}

inline Mirrored mirrored_on_device(const Toy& toy, Rank rank, int steps, const OnDevice& how) {
  const Program program = program_of(toy);
  const auto device = fake_device({how.seed, how.device_bytes});
  MirrorBackend backend(program, rank, device.get());
  const auto executor =
      RankExecutor::make(executor_input(toy, program, rank), *device, how.options, backend);
  if (!executor) throw std::runtime_error(executor.error().text());
  Mirrored result;
  add_steps(toy, program, rank, **executor, steps, result);
  return result;
}

}  // namespace quintet::engine::test
