// libnccl.so.2 for processes with stand-ins for GPUs (scheduled_gpus.cpp): nothing moves, but the
// members of a communicator meet, through memory that they share, and all streams are busy from
// when the last has come for as long as the choice takes. It has rings, by LL: 20 us and 5 GB/s,
// and by Simple: 40 us and 10 GB/s; a tuner plugin is loaded and asked as NCCL 2.28 does.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>

#include "engine/nccl/nccl_functions.h"
#include "engine/nccl/plugins/plugin_interface.h"
#include "tests/stand_ins/scheduled_stream.h"

namespace {

using quintet::calibrate::now;
using quintet::calibrate::ScheduledStream;
using namespace quintet::nccl_plugin;

// In shared memory; new files are zeros.
struct Board {
  std::atomic<std::uint64_t> arrived;
  std::atomic<std::int64_t> latest[2];  // of this use and the one before
};

const Tuner* tuner() {
  const char* const path = std::getenv("NCCL_TUNER_PLUGIN");
  void* const library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr
                            : static_cast<const Tuner*>(dlsym(library, "ncclTunerPlugin_v5"));
}

std::string file_of(const ncclUniqueId& id) {
  std::string name = "/quintet-scheduled-nccl-";
  for (int place = 0; place < 16; ++place)
    name += static_cast<char>('a' + static_cast<unsigned char>(id.internal[place]) % 26);
  return name;
}

constexpr int ring = 1, ll = 0, simple = 2;
double microseconds(int protocol, std::size_t bytes) {
  const double size = static_cast<double>(bytes);
  return protocol == ll ? 20 + size / 5e3 : 40 + size / 10e3;
}

}  // namespace

struct ncclComm {
  Board* board = nullptr;
  std::string file;
  std::uint64_t members = 1, uses = 0;
  void* tuned = nullptr;  // the plugin's

  double chosen(Function function, std::size_t bytes) const {
    std::array<std::array<float, protocols>, algorithms> times;
    for (auto& row : times) row.fill(not_available);
    for (const int protocol : {ll, simple})
      times[ring][static_cast<std::size_t>(protocol)] =
          static_cast<float>(microseconds(protocol, bytes));
    int channels = 0;
    if (tuned != nullptr)
      tuner()->choose(tuned, function, bytes, 1, reinterpret_cast<float**>(times.data()),
                      algorithms, protocols, 0, &channels);
    double best = 1e9;
    for (const int protocol : {ll, simple})
      if (times[ring][static_cast<std::size_t>(protocol)] >= 0)
        best = std::min(best, microseconds(protocol, bytes));
    return best;
  }

  // All members' streams from the latest on.
  ncclResult_t occupy(cudaStream_t stream, double time) {
    auto& own = *reinterpret_cast<ScheduledStream*>(stream);
    std::atomic<std::int64_t>& latest = board->latest[++uses % 2];
    const std::int64_t start = std::max(now(), own.free_at);
    for (std::int64_t known = latest; known < start;)
      if (latest.compare_exchange_weak(known, start)) break;
    ++board->arrived;
    while (board->arrived < members * uses) std::this_thread::yield();
    own.free_at = latest + static_cast<std::int64_t>(1e3 * time);
    return ncclSuccess;
  }
  ncclResult_t collective(Function function, std::size_t bytes, cudaStream_t stream) {
    return occupy(stream, chosen(function, bytes));
  }
};

namespace {

// The calls between the start and the end of a group.
struct Grouped {
  bool open = false;
  ncclComm* communicator = nullptr;
  cudaStream_t stream = nullptr;
  std::size_t bytes = 0;
};
thread_local Grouped grouped;

ncclResult_t message(std::size_t bytes, ncclComm_t communicator, cudaStream_t stream) {
  if (!grouped.open) return communicator->occupy(stream, microseconds(simple, bytes));
  grouped.communicator = communicator;
  grouped.stream = stream;
  grouped.bytes += bytes / 2;  // sent and received
  return ncclSuccess;
}

constexpr std::size_t element(ncclDataType_t type) {
  return type == ncclUint8 ? 1 : 4;
}

}  // namespace

extern "C" {

#pragma GCC visibility push(default)

ncclResult_t ncclGetVersion(int* version) {
  *version = 22809;
  return ncclSuccess;
}
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  *id = {};
  std::random_device random;
  for (int place = 0; place < 16; ++place) id->internal[place] = static_cast<char>(random());
  return ncclSuccess;
}
const char* ncclGetErrorString(ncclResult_t) {
  return "an error";
}
const char* ncclGetLastError(ncclComm_t) {
  return "";
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* communicator, int members, ncclUniqueId id, int,
                                    ncclConfig_t*) {
  auto made = std::make_unique<ncclComm>();
  made->members = static_cast<std::uint64_t>(members);
  made->file = file_of(id);
  const int descriptor = shm_open(made->file.c_str(), O_RDWR | O_CREAT, 0600);
  if (descriptor < 0 || ftruncate(descriptor, sizeof(Board)) != 0) return ncclSystemError;
  void* const memory =
      mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (memory == MAP_FAILED) return ncclSystemError;
  made->board = static_cast<Board*>(memory);
  if (const Tuner* const plugin = tuner())
    plugin->init(&made->tuned, 1, made->members, 1, nullptr, nullptr, nullptr);
  *communicator = made.release();
  return ncclSuccess;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* state) {
  *state = ncclSuccess;
  return ncclSuccess;
}
ncclResult_t ncclCommFinalize(ncclComm_t) {
  return ncclSuccess;
}
ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
  const std::unique_ptr<ncclComm> ended(communicator);
  if (ended->tuned != nullptr) tuner()->finalize(ended->tuned);
  shm_unlink(ended->file.c_str());
  munmap(ended->board, sizeof(Board));
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t communicator) {
  return ncclCommDestroy(communicator);
}

ncclResult_t ncclGroupStart() {
  grouped = {};
  grouped.open = true;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  const Grouped ended = grouped;
  grouped = {};
  if (ended.communicator == nullptr) return ncclSuccess;
  return ended.communicator->occupy(ended.stream, microseconds(simple, ended.bytes));
}

ncclResult_t ncclAllReduce(const void*, void*, std::size_t count, ncclDataType_t type, ncclRedOp_t,
                           ncclComm_t communicator, cudaStream_t stream) {
  return communicator->collective(function_all_reduce, count * element(type), stream);
}
ncclResult_t ncclReduceScatter(const void*, void*, std::size_t count, ncclDataType_t type,
                               ncclRedOp_t, ncclComm_t communicator, cudaStream_t stream) {
  return communicator->collective(function_reduce_scatter,
                                  count * element(type) * communicator->members, stream);
}
ncclResult_t ncclAllGather(const void*, void*, std::size_t count, ncclDataType_t type,
                           ncclComm_t communicator, cudaStream_t stream) {
  return communicator->collective(function_all_gather,
                                  count * element(type) * communicator->members, stream);
}
ncclResult_t ncclBroadcast(const void*, void*, std::size_t count, ncclDataType_t type, int,
                           ncclComm_t communicator, cudaStream_t stream) {
  return communicator->collective(function_broadcast, count * element(type), stream);
}
ncclResult_t ncclReduce(const void*, void*, std::size_t count, ncclDataType_t type, ncclRedOp_t,
                        int, ncclComm_t communicator, cudaStream_t stream) {
  return communicator->collective(function_reduce, count * element(type), stream);
}
ncclResult_t ncclSend(const void*, std::size_t count, ncclDataType_t type, int,
                      ncclComm_t communicator, cudaStream_t stream) {
  return message(count * element(type), communicator, stream);
}
ncclResult_t ncclRecv(void*, std::size_t count, ncclDataType_t type, int, ncclComm_t communicator,
                      cudaStream_t stream) {
  return message(count * element(type), communicator, stream);
}

#pragma GCC visibility pop

}  // extern "C"
