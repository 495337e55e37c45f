#include "traces/chakra/workload_tables.h"

#include <fmt/format.h>

namespace quintet::chakra {

std::int32_t WorkloadTables::info(const SpanInfo& info) {
  std::string key = fmt::format("{} {} {} {} {} {} ", static_cast<int>(info.kind),
                                static_cast<int>(info.work), static_cast<int>(info.phase),
                                static_cast<int>(info.axis), info.size.value, info.lane);
  key += info.name;
  key += '\0';
  key += info.detail;
  const auto [found, is_new] =
      info_by_key_.emplace(std::move(key), static_cast<std::int32_t>(infos_.size()));
  if (is_new) infos_.push_back(info);
  return found->second;
}

int WorkloadTables::lane(LaneKind kind, const std::string& name) {
  const auto [found, is_new] = lane_by_name_.emplace(name, static_cast<int>(lanes_.size()));
  if (is_new) lanes_.push_back({kind, name});
  return found->second;
}

}  // namespace quintet::chakra
