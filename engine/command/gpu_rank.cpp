#include "engine/command/gpu_rank.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <filesystem>

#include "engine/device/gpu_module.h"
#include "engine/gpu_backends/gpu_backends.h"
#include "engine/gpu_backends/gpu_shares.h"
#include "engine/gpu_backends/nccl_account.h"
#include "engine/gpu_backends/nccl_environment.h"
#include "engine/peers/transport_peers.h"
#include "engine/train/failed_rank.h"

namespace quintet::engine {

namespace {

namespace fs = std::filesystem;

class GpuRank {
 public:
  GpuRank(const TrainingInputs& inputs, const TrainingOptions& options, Transport& transport)
      : inputs_(inputs),
        options_(options),
        transport_(transport),
        within_(static_cast<std::int64_t>(options.deadline * 1e3)),
        peers_(transport, within_),
        rules_file_(fs::temp_directory_path() / fmt::format("quintet-nccl-{}", getpid())) {}
  ~GpuRank() {
    std::error_code ignored;
    fs::remove(rules_file_, ignored);
  }
  GpuRank(const GpuRank&) = delete;
  GpuRank& operator=(const GpuRank&) = delete;

  Result<TrainingEnd> run(const RankIdentity& identity, const TrainingHooks& hooks) {
    Result<TrainingEnd> end = prepared(identity, hooks);
    if (!end) end_job(end.error(), peers_);
    return end;
  }

 private:
  Result<TrainingEnd> prepared(const RankIdentity& identity, const TrainingHooks& hooks) try {
    if (auto wrong = open_gpu_of(identity)) return *wrong;
    const Result<GpuShare> share =
        found_share(peers_, machine_identity() + device_->properties().identity);
    if (!share) return share.error();
    set_environment(*share);
    GpuBackendOptions opening{inputs_.backends, {within_, inputs_.seats}, {}};
    if (!tuner_plugin_place().empty()) opening.rules_file = rules_file_.string();
    auto backends =
        GpuBackends::open(inputs_.program, inputs_.plan.ccl, transport_, peers_, *device_, opening);
    if (!backends) return backends.error();
    const Surroundings found = surroundings(*share, **backends);
    Result<TrainingEnd> end =
        train(inputs_, options_,
              {(*backends)->backend(), peers_, found, device_.get(), open_gpu_recorder, profile()},
              hooks);
    if (!end) return end;
    if (auto wrong = (*backends)->close()) return *wrong;
    backends->reset();  // NCCL's last words are in its profile
    if (auto wrong = give_account(hooks)) return *wrong;
    return end;
  } catch (const std::exception& failure) {
    return Error{"GPU", failure.what()};
  }

  std::optional<Error> open_gpu_of(const RankIdentity& identity) {
    const Result<int> gpus = found_gpus();
    if (!gpus) return gpus.error();
    auto device = open_gpu(gpu_of(identity.local_rank, *gpus));
    if (!device) return device.error();
    device_ = std::move(*device);
    return std::nullopt;
  }

  // NCCL reads it when it is loaded. Nobody else does meanwhile: the transport has read its own.
  void set_environment(const GpuShare& share) const {
    NcclSetting setting{transport_.rank(), share.most, inputs_.plan.host_net, tuner_plugin_place(),
                        rules_file_.string()};
    setting.profiler = profiler_plugin_place();
    setting.profile = profile().string();
    std::error_code ignored;
    fs::remove(profile(), ignored);  // of a run before
    for (const std::string& variable : nccl_environment(setting, process_environment())) {
      const std::size_t equals = variable.find('=');
      setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
    }
  }

  // Beside the timeline; empty: nobody wants to know.
  fs::path profile() const {
    if (options_.timeline.empty()) return {};
    return fmt::format("{}.nccl-{}", options_.timeline.string(), transport_.rank().value);
  }

  std::optional<Error> give_account(const TrainingHooks& hooks) const {
    std::error_code wrong;
    if (transport_.rank() != Rank{0} || !fs::exists(profile(), wrong)) return std::nullopt;
    const auto lines = nccl_account(profile(), inputs_.program, inputs_.plan.ccl);
    if (!lines) return lines.error();
    for (const std::string& line : *lines) hooks.say(line);
    return std::nullopt;
  }

  Surroundings surroundings(const GpuShare& share, const GpuBackends& backends) const {
    Surroundings found;
    found.processor = Processor::gpu;
    describe(*device_, found);
    if (const std::string nccl = backends.nccl_library(); !nccl.empty())
      found.libraries.push_back(nccl);
    found.ranks_per_device = share.most;
    found.backends = inputs_.backends;
    found.measures = share.first;
    return found;
  }

  const TrainingInputs& inputs_;
  const TrainingOptions& options_;
  Transport& transport_;
  Milliseconds within_;
  TransportPeers peers_;
  fs::path rules_file_;
  std::unique_ptr<kernels::Device> device_;
};

}  // namespace

Result<TrainingEnd> train_on_gpu(const TrainingInputs& inputs, const TrainingOptions& options,
                                 const RankIdentity& identity, Transport& transport,
                                 const TrainingHooks& hooks) {
  return GpuRank(inputs, options, transport).run(identity, hooks);
}

}  // namespace quintet::engine
