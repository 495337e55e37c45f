// What one rank with a GPU does when rank 0 asks for a measurement: NCCL, and work on the GPU.
//
// Times are of the GPU's own clock: between events on the stream, before the first call and after
// the last; the first follows a collective of four bytes on which the members wait for each other.
// What is queued is held up by other work until all of it is queued, as far as the time that
// queueing took before foretells: the host may take longer to queue a call of few bytes than the
// GPU to do it (what that costs is LaunchCosts' business), and training has it queued in time. Data
// is fp32. Opening a communicator, connecting its ranks and the first calls of every size are not
// timed.
#pragma once

#include <filesystem>
#include <optional>
#include <tuple>
#include <vector>

#include "calibrate/ranks/device_block.h"
#include "calibrate/ranks/gpu_piece.h"
#include "calibrate/ranks/gpu_timer.h"
#include "calibrate/ranks/nccl_groups.h"
#include "calibrate/ranks/rank_tasks.h"

namespace quintet::calibrate {

// What a rank's GPU is used through; all of it must outlive the tasks.
struct GpuRankParts {
  kernels::Device& device;
  engine::NcclJob nccl;
  std::filesystem::path account;  // QUINTET_NCCL_TABLE; empty: there is no tuner plugin
  GpuPieceSize piece{};
  std::size_t hold_bytes = 512 << 20;  // cleared again and again while calls are queued
  MessageSizes sizes = sizes_on_gpus;
};

// Used by the thread that opened the GPU.
class GpuTasks final : public TimingWork {
 public:
  // The transport must outlive it; what moves no data between GPUs goes over it.
  GpuTasks(engine::Transport& transport, JobSeats job, const GpuRankParts& parts);
  ~GpuTasks() override;

  std::vector<Method> methods() const override;
  MessageSizes sizes() const override { return parts_.sizes; }
  // The last task, TimingTask::What::end, closes all communicators.
  Result<std::vector<double>> run(const TimingTask& task) override;

 private:
  using Numbers = std::vector<double>;

  Result<Numbers> done(const TimingTask& task);
  Result<Numbers> collective(const TimingTask& task);
  Result<Numbers> pair(const TimingTask& task);
  Result<Numbers> quanta(const TimingTask& task);
  Result<Numbers> overlap(const TimingTask& task);

  Result<engine::NcclGroup*> group(const Members& members, const NcclChoice& choice);
  std::optional<Error> calls(const TimingTask& task, engine::NcclGroup& group, int count);
  std::optional<Error> meet(engine::NcclGroup& group);
  std::optional<Error> there_and_back(const TimingTask& task, engine::NcclGroup& group, int count);
  // This is the time of one call, after all members have met.
  Result<double> seconds_of_call(const TimingTask& task, engine::NcclGroup& group);
  Result<double> seconds_of_pieces(GpuPiece& piece, int count);
  struct Beside {
    double seconds = 0, pieces = 0;
  };
  Result<Beside> side_by_side(const TimingTask& task, engine::NcclGroup& group, GpuPiece& piece,
                              double seconds_of_piece);

  bool is_refused(const TimingTask& task);
  bool was_obeyed(const TimingTask& task);
  void make_room(const TimingTask& task);
  int self() const { return transport_.rank().value; }

  engine::Transport& transport_;
  const JobSeats job_;
  const GpuRankParts parts_;
  RankTasks without_gpu_;
  GpuTimer timer_;
  std::optional<NcclGroups> groups_;  // until the end, or a failure
  NcclAccount account_;
  std::optional<DeviceBlock> buffer_, received_;
  std::optional<std::tuple<CollectiveKind, NcclChoice, Members, double>> warm_;  // the last
};

}  // namespace quintet::calibrate
