#include "engine/train/thread_ranks.h"

#include <exception>
#include <thread>

#include "engine/communication/local_world.h"
#include "engine/communication/virtual_ranks.h"
#include "engine/peers/thread_peers.h"
#include "engine/train/failed_rank.h"
#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

class ThreadRanks {
 public:
  ThreadRanks(const TrainingInputs& inputs, const TrainingOptions& options,
              const DeviceOpener& open, const TrainingHooks& hooks)
      : inputs_(inputs),
        options_(options),
        open_(open),
        hooks_(hooks),
        world_(world_size(inputs.program.grid)),
        peers_(world_),
        ends_(static_cast<std::size_t>(world_)) {
    options_.ranks_on_host = world_;
  }

  Result<TrainingEnd> run() {
    if (auto wrong = make_communicators()) return *wrong;
    peers_.on_failure([this](const Error& cause) { backend(Rank{0}).abort(cause); });
    std::vector<std::thread> threads;
    for (int rank = 0; rank < world_; ++rank)
      threads.emplace_back([this, rank] { be(Rank{rank}); });
    for (std::thread& thread : threads) thread.join();
    if (const auto failure = peers_.failure()) return *failure;
    return *ends_.front();
  }

 private:
  std::optional<Error> make_communicators() {
    if (!open_) {
      on_host_ = std::make_unique<LocalWorld>(inputs_.program);
      return std::nullopt;
    }
    auto device = open_();
    if (!device) return device.error();
    device_ = std::move(*device);
    auto made = VirtualRanks::make(inputs_.program, *device_);
    if (!made) return made.error();
    on_device_ = std::move(*made);
    return std::nullopt;
  }

  CommunicationBackend& backend(Rank rank) {
    return on_device_ ? on_device_->rank(rank) : on_host_->rank(rank);
  }

  Surroundings surroundings(Rank rank) const {
    Surroundings found;
    found.ranks = RankKind::threads;
    found.ranks_per_device = world_;
    found.backends = inputs_.backends;
    found.measures = rank == Rank{0};
    if (!device_) {
      found.measured_for = world_;
      return found;
    }
    found.processor = Processor::gpu;
    describe(*device_, found);
    return found;
  }

  void be(Rank rank) try {
    std::shared_ptr<kernels::Device> device;
    if (open_) {
      auto opened = open_();
      if (!opened) return end_job(opened.error(), peers_.rank(rank));
      device = std::move(*opened);
    }
    const Surroundings found = surroundings(rank);
    const RankParts parts{backend(rank), peers_.rank(rank), found, device.get()};
    const Result<TrainingEnd> end = train(inputs_, options_, parts, hooks_);
    if (end) ends_[rank.index()] = *end;
  } catch (const std::exception& failure) {
    end_job({"", failure.what()}, peers_.rank(rank));
  }

  const TrainingInputs& inputs_;
  TrainingOptions options_;
  const DeviceOpener& open_;
  const TrainingHooks& hooks_;
  const int world_;
  std::shared_ptr<kernels::Device> device_;  // outlives what is on it
  std::unique_ptr<LocalWorld> on_host_;
  std::unique_ptr<VirtualRanks> on_device_;
  ThreadPeers peers_;
  std::vector<std::optional<TrainingEnd>> ends_;  // by rank
};

}  // namespace

Result<TrainingEnd> train_in_threads(const TrainingInputs& inputs, const TrainingOptions& options,
                                     const DeviceOpener& open, const TrainingHooks& hooks) {
  return ThreadRanks(inputs, options, open, hooks).run();
}

}  // namespace quintet::engine
