// NCCL opened for one rank of a job.
#pragma once

#include <memory>
#include <optional>

#include "engine/communication/communication_backend.h"
#include "engine/peers/peers.h"
#include "kernels/device.h"
#include "sim/base/result.h"
#include "sim/plan/ccl.h"
#include "sim/program/program.h"

namespace quintet::engine {

class NcclSession {
 public:
  struct Options {
    std::chrono::milliseconds within{60000};  // for the ranks to open one communicator
    std::string rules_file;  // of the tuner plugin, this process's own; empty: no plugin
  };
  // All ranks together, in the thread that opened the GPU; peers and device must
  // outlive it. The error
  // says what is missing: this build's NCCL, the library, a rank.
  static Result<std::unique_ptr<NcclSession>> open(const Program& program, const Ccl& ccl,
                                                   Peers& peers, kernels::Device& device,
                                                   const Options& options);
  ~NcclSession();
  NcclSession(const NcclSession&) = delete;
  NcclSession& operator=(const NcclSession&) = delete;

  CommunicationBackend& backend();
  std::string library() const;  // "NCCL 2.28.9 of /usr/lib/libnccl.so.2"
  // When all streams are done; all ranks together.
  std::optional<Error> close();

 private:
  struct Parts;
  explicit NcclSession(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace quintet::engine
