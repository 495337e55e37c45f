// What the profiler plugin wrote: NCCL's choice and the GPU's times, collective by collective.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/nccl/tuner_rules.h"
#include "sim/base/result.h"
#include "sim/base/units.h"

namespace quintet::engine {

struct ChannelTime {
  int channel = 0;
  std::uint64_t start_ns = 0, stop_ns = 0;  // the GPU's globaltimer
  bool operator==(const ChannelTime&) const = default;
};

struct ProfiledOperation {
  std::string communicator, id;
  int rank = 0, ranks = 0, nodes = 0;
  std::string function;  // NCCL's words here and below: "AllReduce", "ncclFloat32", "RING", "LL128"
  std::optional<std::uint64_t> sequence;  // among those of its function and communicator; none: a
                                          // message
  std::string type;
  std::uint64_t count = 0;          // elements, as in NCCL's call
  std::string algorithm, protocol;  // empty: a message
  int channels = 0;
  std::optional<Seconds> duration;  // the longest channel's; none: not all of them were seen to end
  std::vector<ChannelTime> times;
  bool operator==(const ProfiledOperation&) const = default;
};

// The error names file, line and what is wrong there.
Result<std::vector<ProfiledOperation>> read_profile(const std::filesystem::path& file);

// The whole buffer, as in the program; none: a message, or a type that this engine does not send.
std::optional<std::uint64_t> buffer_bytes(const ProfiledOperation& operation);

// What NCCL did otherwise than the rules of the operation's communicator ask for; nothing where it
// obeyed, or was free. NCCL may use fewer channels for little data, so only more are told.
std::optional<std::string> departure(const TunerRules& rules, const ProfiledOperation& operation);

}  // namespace quintet::engine
