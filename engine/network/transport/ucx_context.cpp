#include "engine/network/transport/ucx_context.h"

#include <net/if.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <ucp/api/ucp.h>
#include <ucs/config/global_opts.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/launch/rendezvous/network_interface.h"

namespace quintet::engine {

namespace {

struct ReleaseConfig {
  void operator()(ucp_config_t* config) const { ucp_config_release(config); }
};
using Config = std::unique_ptr<ucp_config_t, ReleaseConfig>;

Error ucx_error(const std::string& what, ucs_status_t status) {
  return {"UCX", what + ": " + ucs_status_string(status)};
}

// Peers that die are reported by us, by rank; UCX would print them to the standard output. Whoever
// sets UCX_LOG_LEVEL sees them all the same.
void keep_ucx_quiet() {
  if (std::getenv("UCX_LOG_LEVEL") == nullptr) ucs_global_opts_set_value("LOG_LEVEL", "fatal");
}

struct Setting {
  const char* name;
  std::string value;
  const char* variable;  // who sets it in the environment wins; null: it is not theirs to set
};

std::vector<Setting> settings_for(const UcxOptions& options) {
  const std::string network =
      device_called(options.interface) == Device::infiniband ? "rc,ud,self" : "tcp,self";
  const std::string memory = options.shared_memory == SharedMemory::use ? ",sysv,posix,cma" : "";
  return {
      {"NET_DEVICES", options.interface, nullptr},
      {"TLS", network + memory, "UCX_TLS"},
      // Over TCP a handshake per segment (UCX's rendezvous protocol) costs a tenth of a shaped wire
      // (tests/benchmark/transport_shaped.sh: 85 % instead of 94 %); larger messages keep it, since
      // what arrives before it is asked for would fill the receiver's memory.
      {"RNDV_THRESH", "1m", "UCX_RNDV_THRESH"},
      {"KEEPALIVE_INTERVAL", "2s", "UCX_KEEPALIVE_INTERVAL"},
  };
}

Result<Config> configured(const UcxOptions& options) {
  ucp_config_t* raw = nullptr;
  const ucs_status_t read = ucp_config_read(nullptr, nullptr, &raw);
  if (read != UCS_OK) return ucx_error("cannot read its configuration", read);
  Config config(raw);
  for (const Setting& setting : settings_for(options)) {
    if (setting.variable != nullptr && std::getenv(setting.variable) != nullptr) continue;
    const ucs_status_t status =
        ucp_config_modify(config.get(), setting.name, setting.value.c_str());
    if (status != UCS_OK) return ucx_error(setting.name + ("=" + setting.value), status);
  }
  return config;
}

}  // namespace

Device device_called(const std::string& name) {
  if (if_nametoindex(name.c_str()) != 0) return Device::ethernet;
  const std::filesystem::path rdma = "/sys/class/infiniband/" + name.substr(0, name.find(':'));
  std::error_code error;
  return std::filesystem::exists(rdma, error) ? Device::infiniband : Device::none;
}

// UCX itself goes on without an interface that it cannot find or that does not run; only its peers
// notice ("Destination is unreachable").
std::optional<Error> unusable(const std::string& name) {
  const Device device = device_called(name);
  if (name.empty() || device == Device::none)
    return Error{"transport", "no network interface is called \"" + name +
                                  "\"; expected one that `ip link` lists"};
  if (device == Device::infiniband) return std::nullopt;
  const Descriptor any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (is_running(any, name)) return std::nullopt;
  return Error{"transport", "the network interface \"" + name + "\" is down, or its cable is"};
}

void CleanUpContext::operator()(ucp_context* context) const {
  ucp_cleanup(context);
}

void DestroyWorker::operator()(ucp_worker* worker) const {
  ucp_worker_destroy(worker);
}

void allow_many_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

void prepare_process_for_ucx() {
  keep_ucx_quiet();
  allow_many_descriptors();
}

Result<UcxContext> ucx_context(const UcxOptions& options) {
  if (const std::optional<Error> wrong = unusable(options.interface)) return *wrong;
  const Result<Config> config = configured(options);
  if (!config) return config.error();
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES;
  params.features = UCP_FEATURE_TAG | UCP_FEATURE_WAKEUP;
  ucp_context_h context = nullptr;
  const ucs_status_t status = ucp_init(&params, config->get(), &context);
  if (status != UCS_OK)
    return ucx_error("cannot use the network interface \"" + options.interface + "\"", status);
  return UcxContext(context);
}

Result<UcxWorkerHandle> ucx_worker(const UcxContext& context) {
  ucp_worker_params_t params{};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  params.thread_mode = UCS_THREAD_MODE_SERIALIZED;  // made by one thread, then used by another
  ucp_worker_h worker = nullptr;
  const ucs_status_t status = ucp_worker_create(context.get(), &params, &worker);
  if (status != UCS_OK) return ucx_error("cannot make a worker", status);
  return UcxWorkerHandle(worker);
}

}  // namespace quintet::engine
