// NCCL as far as training needs it, among stand-ins for devices in one process: work waits on its
// stream until the streams of all members have come to it, and runs in the order of the calls.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "engine/communication/communication_backend.h"
#include "engine/nccl/nccl_functions.h"
#include "kernels/device.h"

namespace quintet::engine::test {

class MovingNccl {
 public:
  MovingNccl();
  ~MovingNccl();

  // A rank's, for a device of fake_device(); both outlive what is asked through it.
  NcclFunctions functions(kernels::Device& device);

  // How often a collective or a message was run.
  int moves() const;

 private:
  struct Group;
  struct Call;
  struct Grouped;

  ncclResult_t open(ncclComm_t* handle, kernels::Device& device, int members, int id, int position);
  ncclResult_t queue(ncclComm_t handle, const Call& call, cudaStream_t stream);
  std::uint64_t arrive(Group& group, int member, const Call& call);
  bool is_over(const Group& group, int member, std::uint64_t which) const;
  static void move(std::vector<Call>& calls);
  static void exchange(std::vector<Call>& calls);
  static void reduce(const std::vector<Call>& calls);
  static void combine_all(const std::vector<Call>& calls);
  ncclResult_t message(const std::shared_ptr<Grouped>& grouped, ncclComm_t handle, const Call& call,
                       int peer, cudaStream_t stream);

  mutable std::mutex mutex_;
  int ids_ = 0, moves_ = 0;
  std::map<int, std::unique_ptr<Group>> groups_;  // by id
  std::vector<std::unique_ptr<ncclComm>> handles_;
};

}  // namespace quintet::engine::test
