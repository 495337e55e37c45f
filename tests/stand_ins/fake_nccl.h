// An NCCL that only writes down what is asked of it, and fails or waits as a test says. A group is
// written down at its end where it aborts.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "engine/nccl/nccl_functions.h"

struct ncclComm {
  std::string name;
};

namespace quintet::engine::test {

// One rank's.
class FakeNccl {
 public:
  explicit FakeNccl(int rank) : rank_(rank) {}

  // What the next call of that name answers, and what every communicator says when asked later.
  std::map<std::string, ncclResult_t> answers;
  std::atomic<ncclResult_t> state = ncclSuccess;
  bool hangs = false;  // communicators never open, until they are aborted
  std::vector<std::string> calls;

  NcclFunctions functions() {
    NcclFunctions nccl;
    nccl.get_unique_id = [this](ncclUniqueId* id) {
      *id = {};
      id->internal[1] = static_cast<char>('0' + rank_);  // after a zero, as NCCL's have
      id->internal[127] = '\xff';
      return answer("id");
    };
    nccl.get_error_string = [](ncclResult_t result) {
      return result == ncclRemoteError ? "remote process exited" : "unhandled cuda error";
    };
    nccl.get_last_error = [](ncclComm_t) { return "said last"; };
    nccl.init_rank = [this](ncclComm_t* handle, int members, ncclUniqueId id, int position,
                            ncclConfig_t* config) {
      const std::scoped_lock lock(mutex_);
      communicators_.push_back({config->commName});
      *handle = &communicators_.back();
      opening_ = true;
      calls.push_back("init " + std::string(config->commName) + ": " + std::to_string(position) +
                      " of " + std::to_string(members) + ", id of " + id.internal[1] +
                      (id.internal[127] == '\xff' ? "" : " damaged") + ", channels " +
                      limit(config->minCTAs) + " to " + limit(config->maxCTAs) +
                      (config->blocking == 1 ? "" : ", not blocking"));
      return answer("init");
    };
    nccl.get_async_error = [this](ncclComm_t, ncclResult_t* result) {
      *result = state;
      return ncclSuccess;
    };
    nccl.finalize = [this](ncclComm_t handle) { return say("finalize", handle); };
    nccl.destroy = [this](ncclComm_t handle) { return say("destroy", handle); };
    nccl.abort = [this](ncclComm_t handle) {
      const std::scoped_lock lock(mutex_);
      aborting_.insert(std::this_thread::get_id());
      aborted_.notify_all();
      calls.push_back("abort " + handle->name);
      return ncclSuccess;
    };
    nccl.group_start = [] { return ncclSuccess; };
    nccl.group_end = [this] { return end_group(); };
    nccl.all_reduce = [this](const void* from, void* to, std::size_t count, ncclDataType_t type,
                             ncclRedOp_t operation, ncclComm_t handle, cudaStream_t stream) {
      return moved("all-reduce", handle, {from, to}, count, type, operation, stream);
    };
    nccl.reduce_scatter = [this](const void* from, void* to, std::size_t count, ncclDataType_t type,
                                 ncclRedOp_t operation, ncclComm_t handle, cudaStream_t stream) {
      return moved("reduce-scatter", handle, {from, to}, count, type, operation, stream);
    };
    nccl.all_gather = [this](const void* from, void* to, std::size_t count, ncclDataType_t type,
                             ncclComm_t handle, cudaStream_t stream) {
      return moved("all-gather", handle, {from, to}, count, type, -1, stream);
    };
    nccl.send = [this](const void* from, std::size_t count, ncclDataType_t type, int peer,
                       ncclComm_t handle, cudaStream_t stream) {
      return moved("send to " + std::to_string(peer), handle, {from}, count, type, -1, stream);
    };
    nccl.receive = [this](void* to, std::size_t count, ncclDataType_t type, int peer,
                          ncclComm_t handle, cudaStream_t stream) {
      return moved("receive from " + std::to_string(peer), handle, {to}, count, type, -1, stream);
    };
    return nccl;
  }

  // While others may still call.
  std::vector<std::string> calls_so_far() {
    const std::scoped_lock lock(mutex_);
    return calls;
  }

  // Addresses are written as distances from here.
  const std::byte* memory = nullptr;

 private:
  static std::string limit(int value) {
    return value == NCCL_CONFIG_UNDEF_INT ? "any" : std::to_string(value);
  }

  ncclResult_t end_group() {
    std::unique_lock lock(mutex_);
    if (aborting_.contains(std::this_thread::get_id())) {
      calls.push_back("group end");
      return ncclSuccess;
    }
    if (opening_ && hangs) aborted_.wait(lock, [this] { return !aborting_.empty(); });
    opening_ = false;
    return aborting_.empty() ? ncclSuccess : ncclInternalError;
  }

  ncclResult_t answer(const std::string& call) const {
    const auto found = answers.find(call);
    return found == answers.end() ? ncclSuccess : found->second;
  }

  ncclResult_t say(const std::string& call, ncclComm_t handle) {
    const std::scoped_lock lock(mutex_);
    calls.push_back(call + " " + handle->name);
    return ncclSuccess;
  }

  ncclResult_t moved(const std::string& call, ncclComm_t handle,
                     const std::vector<const void*>& places, std::size_t count, int type,
                     int operation, cudaStream_t stream) {
    std::string text = call + " " + handle->name + ":";
    for (const void* const place : places)
      text += " " + std::to_string(static_cast<const std::byte*>(place) - memory);
    const std::scoped_lock lock(mutex_);
    calls.push_back(text + ", " + std::to_string(count) + " of type " + std::to_string(type) +
                    (operation < 0 ? "" : ", operation " + std::to_string(operation)) +
                    ", stream " + std::to_string(reinterpret_cast<std::size_t>(stream)));
    return answer("move");
  }

  int rank_;
  std::mutex mutex_;
  std::condition_variable aborted_;
  bool opening_ = false;
  std::set<std::thread::id> aborting_;  // who aborts
  std::deque<ncclComm> communicators_;
};

}  // namespace quintet::engine::test
