#include "calibrate/ranks/gpu_rank.h"

#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <filesystem>

#include "calibrate/ranks/gpu_tasks.h"
#include "engine/device/gpu_module.h"
#include "engine/gpu_backends/gpu_shares.h"
#include "engine/gpu_backends/nccl_environment.h"
#include "engine/nccl/nccl_functions.h"
#include "engine/nccl/nccl_library.h"
#include "engine/peers/transport_peers.h"

namespace quintet::calibrate {
namespace {

namespace fs = std::filesystem;

// This names a file for this process alone, and removes the file when it goes.
class PrivateFile {
 public:
  explicit PrivateFile(const std::string& what)
      : path_(fs::temp_directory_path() /
              ("quintet-nccl-" + std::to_string(getpid()) + "." + what)) {}
  PrivateFile(const PrivateFile&) = delete;
  PrivateFile& operator=(const PrivateFile&) = delete;
  ~PrivateFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

class GpuRank final : public TimingWork {
 public:
  GpuRank(engine::Transport& transport, JobSeats job, int local_rank)
      : transport_(transport),
        job_(std::move(job)),
        local_rank_(local_rank),
        peers_(transport),
        rules_("rules"),
        account_("table") {}

  std::vector<Method> methods() const override { return methods_of_gpu_ranks(); }
  MessageSizes sizes() const override { return sizes_on_gpus; }

  Result<std::vector<double>> run(const TimingTask& task) override try {
    if (!tasks_) {
      if (task.what == TimingTask::What::end) return std::vector<double>();
      if (auto wrong = open()) return *wrong;
    }
    return tasks_->run(task);
  } catch (const std::exception& failure) {
    return Error{"GPU", failure.what()};
  }

 private:
  std::optional<Error> open() {
    if (auto wrong = open_device()) return wrong;
    const auto share =
        engine::found_share(peers_, engine::machine_identity() + device_->properties().identity);
    if (!share) return share.error();
    if (share->most > 1)
      return Error{"--device gpu", std::to_string(share->most) +
                                       " ranks share a GPU, and times between them say nothing "
                                       "about GPUs of their own; start one rank for each GPU"};
    set_environment();
    Result<engine::NcclLibrary> library =
        engine::NcclLibrary::open(engine::nccl_places(engine::process_environment()));
    if (!library) return library.error();
    library_.emplace(*std::move(library));
    engine::NcclJob nccl{library_->functions(), peers_};
    const bool tuned = !engine::tuner_plugin_place().empty();
    if (tuned) nccl.rules_file = rules_.path();
    tasks_.emplace(transport_, job_,
                   GpuRankParts{*device_, nccl, tuned ? account_.path() : fs::path()});
    return std::nullopt;
  }

  std::optional<Error> open_device() {
    const Result<int> gpus = engine::found_gpus();
    if (!gpus) return Error{"--device gpu", gpus.error().text()};
    auto device = engine::open_gpu(engine::gpu_of(local_rank_, *gpus));
    if (!device) return device.error();
    device_ = *std::move(device);
    return std::nullopt;
  }

  // NCCL reads it when it is loaded. Nobody else does meanwhile: the transport has read its own.
  void set_environment() const {
    engine::NcclSetting setting;
    setting.rank = transport_.rank();
    setting.tuner = engine::tuner_plugin_place();
    setting.rules = rules_.path().string();
    for (const std::string& variable :
         engine::nccl_environment(setting, engine::process_environment())) {
      const std::size_t equals = variable.find('=');
      setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
    }
    setenv("QUINTET_NCCL_TABLE", account_.path().c_str(), 1);
  }

  engine::Transport& transport_;
  const JobSeats job_;
  const int local_rank_;
  engine::TransportPeers peers_;
  const PrivateFile rules_, account_;
  std::unique_ptr<kernels::Device> device_;
  std::optional<engine::NcclLibrary> library_;
  std::optional<GpuTasks> tasks_;  // once they are asked for
};

}  // namespace

std::vector<Method> methods_of_gpu_ranks() {
  return methods_on_gpus(engine::tuner_plugin_place().empty() ? TunerPlugin::missing
                                                              : TunerPlugin::present);
}

std::unique_ptr<TimingWork> gpu_timing_work(engine::Transport& transport, JobSeats job,
                                            int local_rank) {
  return std::make_unique<GpuRank>(transport, std::move(job), local_rank);
}

}  // namespace quintet::calibrate
