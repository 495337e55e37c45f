// An NCCL that only writes down what is asked of it, and fails as a test says.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/nccl/nccl_functions.h"

struct ncclComm {
  std::string name;
  int waits = 0;  // how often it is still in progress
};

namespace quintet::engine::test {

// One rank's.
class FakeNccl {
 public:
  explicit FakeNccl(int rank) : rank_(rank) {}

  // What the next call of that name answers, and what every communicator says when asked later.
  std::map<std::string, ncclResult_t> answers;
  ncclResult_t state = ncclSuccess;
  int waits = 0;  // how often work is in progress before it is done
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
      communicators_.push_back({config->commName, waits});
      *handle = &communicators_.back();
      calls.push_back("init " + std::string(config->commName) + ": " + std::to_string(position) +
                      " of " + std::to_string(members) + ", id of " + id.internal[1] +
                      (id.internal[127] == '\xff' ? "" : " damaged") + ", channels " +
                      limit(config->minCTAs) + " to " + limit(config->maxCTAs) +
                      (config->blocking == 0 ? "" : ", blocking"));
      return answer("init");
    };
    nccl.get_async_error = [this](ncclComm_t handle, ncclResult_t* result) {
      *result = handle->waits > 0 ? ncclInProgress : state;
      handle->waits = std::max(0, handle->waits - 1);
      return ncclSuccess;
    };
    nccl.finalize = [this](ncclComm_t handle) { return say("finalize", handle); };
    nccl.destroy = [this](ncclComm_t handle) { return say("destroy", handle); };
    nccl.abort = [this](ncclComm_t handle) { return say("abort", handle); };
    nccl.group_start = [this] { return say("group start", nullptr); };
    nccl.group_end = [this] { return say("group end", nullptr); };
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

  // Addresses are written as distances from here.
  const std::byte* memory = nullptr;

 private:
  static std::string limit(int value) {
    return value == NCCL_CONFIG_UNDEF_INT ? "any" : std::to_string(value);
  }

  ncclResult_t answer(const std::string& call) {
    const auto found = answers.find(call);
    if (found != answers.end()) return found->second;
    return waits > 0 ? ncclInProgress : ncclSuccess;
  }

  ncclResult_t say(const std::string& call, ncclComm_t handle) {
    calls.push_back(call + (handle == nullptr ? "" : " " + handle->name));
    return ncclSuccess;
  }

  ncclResult_t moved(const std::string& call, ncclComm_t handle,
                     const std::vector<const void*>& places, std::size_t count, int type,
                     int operation, cudaStream_t stream) {
    std::string text = call + " " + handle->name + ":";
    for (const void* const place : places)
      text += " " + std::to_string(static_cast<const std::byte*>(place) - memory);
    calls.push_back(text + ", " + std::to_string(count) + " of type " + std::to_string(type) +
                    (operation < 0 ? "" : ", operation " + std::to_string(operation)) +
                    ", stream " + std::to_string(reinterpret_cast<std::size_t>(stream)));
    handle->waits = waits;
    return answer("move");
  }

  int rank_;
  std::deque<ncclComm> communicators_;
};

}  // namespace quintet::engine::test
