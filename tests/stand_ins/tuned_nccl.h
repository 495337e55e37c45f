// The stand-in for NCCL with a tuner: each call is written down as the tuner plugin writes it
// (QUINTET_NCCL_TABLE), with the algorithms and protocols that a test says NCCL has.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "engine/nccl/nccl_functions.h"
#include "engine/nccl/tuner_rules.h"
#include "kernels/device.h"
#include "tests/stand_ins/moving_nccl.h"

namespace quintet::calibrate {

struct TunedNccl {
  // One rank's.
  std::filesystem::path rules, table;
  // "{\"ring\": {\"ll\": 16}}" for each kind of collective, as NCCL calls it; others have {}.
  std::map<std::string, std::string> has;
  std::vector<std::string> opened, closed;  // names, in order
  ncclResult_t state = ncclSuccess;         // what the rank hears when it asks

  engine::NcclFunctions functions(engine::test::MovingNccl& moving, kernels::Device& device) {
    engine::NcclFunctions nccl = moving.functions(device);
    nccl.init_rank = [this, init = nccl.init_rank](ncclComm_t* handle, int members, ncclUniqueId id,
                                                   int position, ncclConfig_t* config) {
      const ncclResult_t result = init(handle, members, id, position, config);
      names_[*handle] = config->commName;
      opened.push_back(config->commName);
      return result;
    };
    nccl.finalize = [this](ncclComm_t handle) {
      closed.push_back(names_[handle]);
      return ncclSuccess;
    };
    nccl.get_async_error = [this](ncclComm_t, ncclResult_t* result) {
      *result = state;
      return ncclSuccess;
    };
    nccl.all_reduce = [this, call = nccl.all_reduce](const void* from, void* to, std::size_t count,
                                                     ncclDataType_t type, ncclRedOp_t operation,
                                                     ncclComm_t handle, cudaStream_t stream) {
      write_down("all-reduce", 4 * count, handle);
      return call(from, to, count, type, operation, handle, stream);
    };
    nccl.all_gather = [this, call = nccl.all_gather](const void* from, void* to, std::size_t count,
                                                     ncclDataType_t type, ncclComm_t handle,
                                                     cudaStream_t stream) {
      write_down("all-gather", 4 * count * 2, handle);  // tests gather among two
      return call(from, to, count, type, handle, stream);
    };
    return nccl;
  }

 private:
  void write_down(const std::string& kind, std::size_t bytes, ncclComm_t handle) {
    if (table.empty()) return;
    std::ofstream out(table, std::ios::app);
    const auto found = has.find(kind);
    out << R"({"content": "times", "communicator": ")" << names_[handle] << R"(", "kind": ")"
        << kind << R"(", "bytes": )" << bytes << R"(, "times": )"
        << (found == has.end() ? "{}" : found->second) << "}\n";
  }

  std::map<ncclComm_t, std::string> names_;
};

}  // namespace quintet::calibrate
