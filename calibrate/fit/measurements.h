// What other tools measured, in one form, whatever file it came from.
#pragma once

#include <string>
#include <vector>

#include "sim/base/data_type.h"
#include "sim/base/units.h"

namespace quintet::calibrate {

enum class Swept {
  all_reduce,
  reduce_scatter,
  all_gather,
  broadcast,
  reduce,
  all_to_all,
  send_receive,
};

// One size of one collective, without other traffic. Sizes as nccl-tests counts them: what an
// all-gather gives and a reduce-scatter takes, of one rank.
struct CollectiveSample {
  Swept kind = Swept::all_reduce;
  int hosts = 1, ranks = 2;
  Bytes size;
  Seconds time;
  std::string gpu, system, network;   // as the file names them; may be empty
  std::string algorithm, protocol{};  // empty: what the library chose
  std::string source{};               // the file
  bool operator==(const CollectiveSample&) const = default;
};

struct GemmSample {
  DataType type = DataType::bf16;
  double m = 1, n = 1, k = 1;
  Seconds time;
  std::string gpu, library;
  std::string source{};
  bool operator==(const GemmSample&) const = default;
};

enum class AttentionPass { forward, backward, both };

// Query and key heads are equally many, and queries and keys equally long.
struct AttentionSample {
  DataType type = DataType::bf16;
  AttentionPass pass = AttentionPass::forward;
  bool causal = false;
  double sequences = 1, heads = 1, length = 1, head_dim = 128;
  Seconds time;
  std::string gpu, kernel;
  std::string source{};
  bool operator==(const AttentionSample&) const = default;
};

// A kernel that memory bounds.
struct MemorySample {
  std::string operation;  // the file's word
  bool backward = false;
  double rows = 1, columns = 1;
  int tensors = 0;  // of `type` that it moves
  DataType type = DataType::bf16;
  Seconds time;
  std::string gpu, backend;
  std::string source{};
  bool operator==(const MemorySample&) const = default;
};

// One launch of a kernel by a framework, or one time in which a GPU did nothing between two kernels
// of a stream that both had been launched.
struct LaunchSample {
  Seconds time;
  std::string gpu;
  std::string source{};
  bool operator==(const LaunchSample&) const = default;
};

struct Measurements {
  std::vector<CollectiveSample> collectives;
  std::vector<GemmSample> gemms;
  std::vector<AttentionSample> attentions;
  std::vector<MemorySample> memories;
  std::vector<LaunchSample> launches, launch_gaps;
  std::vector<std::string> left_out;  // what files hold that nothing is learnt of, a sentence each
  bool operator==(const Measurements&) const = default;
};

inline bool measures_nothing(const Measurements& all) {
  return all.collectives.empty() && all.gemms.empty() && all.attentions.empty() &&
         all.memories.empty() && all.launches.empty() && all.launch_gaps.empty();
}

}  // namespace quintet::calibrate
