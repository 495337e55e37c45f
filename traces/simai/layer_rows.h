// The text of a SimAI or ASTRA-sim workload as values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "sim/base/units.h"
#include "sim/plan/ccl.h"

namespace quintet::simai {

enum class Policy : std::uint8_t {
  data,
  model,
  hybrid_transformer,
  hybrid_transformer_recomputing,  // HYBRID_TRANSFORMER_FWD_IN_BCKWD
  hybrid_dlrm,
  hybrid_dlrm_enhanced,
  hybrid_data_model,
  hybrid_model_data,
  hybrid_customized,
  micro,
  distributed_inference,
};
std::optional<Policy> policy_of(std::string_view word);
std::string policy_words();

struct Header {
  Policy policy = Policy::data;
  int tensor = 1, expert = 1, pipeline = 1, virtual_pipeline = 1, accumulation = 1;
  int all_gpus = 0;  // 0: not said
  bool says_tensor = false;
  Bytes pipeline_message;
  std::vector<int> checkpoints, initiates;  // rows
  int last_bottom = -1;                     // of DLRM
};

enum class GroupKind : std::uint8_t { own, expert, expert_data };  // no suffix, _EP, _DP_EP

struct RowCollective {
  std::vector<CollectiveKind> kinds;  // one after another; none: NONE
  GroupKind group = GroupKind::own;
  Bytes size;
};

struct Pass {
  Duration time;
  RowCollective collective;
};

struct Row {
  std::string name;
  Pass forward, input_gradient, weight_gradient;
  Duration update;
  Policy policy = Policy::data;  // the header's, or of HYBRID_CUSTOMIZED its own
};

struct LayerText {
  Header header;
  std::vector<Row> rows;
};

Result<LayerText> parse_layers(std::string_view text, const std::string& where);

}  // namespace quintet::simai
