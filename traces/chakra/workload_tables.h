// A workload's lanes and infos while it is put together: each is there once.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "traces/workload/workload.h"

namespace quintet::chakra {

class WorkloadTables {
 public:
  std::int32_t info(const SpanInfo& info);
  int lane(LaneKind kind, const std::string& name);

  const std::vector<SpanInfo>& infos() const { return infos_; }
  const std::vector<LaneInfo>& lanes() const { return lanes_; }

 private:
  std::unordered_map<std::string, std::int32_t> info_by_key_;
  std::unordered_map<std::string, int> lane_by_name_;
  std::vector<SpanInfo> infos_;
  std::vector<LaneInfo> lanes_;
};

}  // namespace quintet::chakra
