// Toys over NCCL, of which only the library and the devices are stand-ins: a thread and a device of
// its own per rank.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "engine/nccl/nccl_backend.h"
#include "engine/peers/thread_peers.h"
#include "tests/stand_ins/fake_device.h"
#include "tests/stand_ins/moving_nccl.h"
#include "tests/support/toy_steps.h"

namespace quintet::engine::test {

struct OnNccl {
  DeviceOptions options{};
  FakeDeviceOptions device{};
  std::chrono::milliseconds patience{60000};  // of the stand-in for NCCL
  NcclOptions nccl{};
  std::vector<Stops>* stops = nullptr;             // by rank
  std::vector<FakeRecorder>* recorders = nullptr;  // likewise
  // Instead of the steps; a rank whose curve has an error ends the job with it.
  std::function<RankCurve(Rank, RankExecutor&)> train{};
  // What NCCL is to a rank.
  std::function<void(Rank, NcclFunctions&)> change{};
};

struct CurveOnNccl {
  Curve curve;
  std::vector<std::string> stuck;
  std::vector<std::int64_t> launches;  // of graphs, by rank
  int sums_in_windows = 0;
};

class RanksOnNccl {
 public:
  RanksOnNccl(const Toy& toy, int steps, const OnNccl& how)
      : toy_(toy),
        program_(program_of(toy)),
        steps_(steps),
        how_(how),
        nccl_(how.patience),
        peers_(world_size(program_.grid)) {}

  CurveOnNccl train() {
    const auto ranks = static_cast<std::size_t>(world_size(program_.grid));
    std::vector<RankCurve> curves(ranks);
    CurveOnNccl result;
    result.launches.resize(ranks);
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      threads.emplace_back(
          [&, rank] { curves[rank] = be(Rank{static_cast<int>(rank)}, result.launches[rank]); });
    for (std::thread& thread : threads) thread.join();
    result.stuck = nccl_.stuck();
    result.sums_in_windows = nccl_.sums_in_windows();
    result.curve = put_together(program_, std::move(curves), steps_);
    return result;
  }

 private:
  RankCurve be(Rank rank, std::int64_t& launches) {
    FakeDeviceOptions like = how_.device;
    like.seed = how_.device.seed * 1000 + static_cast<std::uint64_t>(rank.value);
    if (how_.stops != nullptr) like.stops = &(*how_.stops)[static_cast<std::size_t>(rank.value)];
    DeviceOptions options = how_.options;
    if (how_.recorders != nullptr)
      options.recorder = like.recorder = &(*how_.recorders)[static_cast<std::size_t>(rank.value)];
    const auto device = fake_device(like);
    NcclFunctions functions = nccl_.functions(*device);
    if (how_.change) how_.change(rank, functions);
    auto nccl =
        NcclCommunicator::make(functions, program_, {}, peers_.rank(rank), *device, how_.nccl);
    if (!nccl) return failed(nccl.error());
    NcclBackend communicator(**nccl);
    RankCurve curve;
    {
      auto executor =
          RankExecutor::make(executor_input(toy_, program_, rank), *device, options, communicator);
      if (!executor) {
        communicator.abort(executor.error());
        return failed(executor.error());
      }
      curve = how_.train ? how_.train(rank, **executor)
                         : train_rank(toy_, program_, rank, **executor, steps_);
      launches = (*executor)->launches();
    }
    if (curve.error)
      communicator.abort(*curve.error);
    else
      curve.error = (*nccl)->close();
    return curve;
  }
  static RankCurve failed(const Error& error) {
    RankCurve curve;
    curve.error = error;
    return curve;
  }

  const Toy& toy_;
  const Program program_;
  int steps_;
  const OnNccl& how_;
  MovingNccl nccl_;
  ThreadPeers peers_;
};

inline CurveOnNccl train_on_nccl(const Toy& toy, int steps, const OnNccl& how) {
  return RanksOnNccl(toy, steps, how).train();
}

}  // namespace quintet::engine::test
