#include "traces/chakra/tables.h"

#include <fmt/format.h>

#include <optional>

#include "traces/chakra/quintet_tables.pb.h"
#include "traces/chakra/shown_name.h"

namespace quintet::chakra {

namespace {

std::string_view name_of_lane(LaneKind kind) {
  switch (kind) {
    case LaneKind::compute:
      return "compute";
    case LaneKind::communication:
      return "communication";
    case LaneKind::copy:
      return "copy";
    case LaneKind::host:
      return "host";
  }
  return {};
}
std::string_view word_of(LaneKind kind) {
  return name_of_lane(kind);
}
template <class Enum>
std::string_view word_of(Enum value) {
  return name_of(value);
}

template <class Enum>
bool take_word(Enum& into, std::string_view word, Enum last) {
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (word_of(static_cast<Enum>(i)) == word) return into = static_cast<Enum>(i), true;
  return false;
}

std::optional<std::string> take_lane(LaneInfo& lane, const chakra_tables::Lane& from) {
  lane.name = from.name();
  if (take_word(lane.kind, from.kind(), LaneKind::host)) return {};
  return fmt::format("lane \"{}\" is of kind \"{}\", which this version does not know",
                     shown(lane.name), shown(from.kind()));
}

std::optional<std::string> take_info(SpanInfo& info, const chakra_tables::Info& from, int lanes) {
  info.name = from.name();
  info.size = Bytes{from.size()};
  info.lane = from.lane();
  info.detail = from.detail();
  if (info.lane < 0 || info.lane >= lanes)
    return fmt::format("\"{}\" lies on lane {} of {}", shown(info.name), info.lane, lanes);
  if (!take_word(info.kind, from.kind(), SpanKind::host) ||
      !take_word(info.work, from.work(), OperatorKind::stage_total) ||
      !take_word(info.phase, from.phase(), Phase::update) ||
      !take_word(info.axis, from.axis(), Axis::pipeline))
    return fmt::format("\"{}\" is of a kind, work, phase or axis that this version does not know",
                       shown(info.name));
  return {};
}

std::optional<std::string> take_group(WorkloadGroup& group, const chakra_tables::Group& from,
                                      int ranks) {
  group.name = from.name();
  group.ranks.assign(from.ranks().begin(), from.ranks().end());
  group.members.assign(from.members().begin(), from.members().end());
  for (const std::int32_t rank : group.ranks)
    if (rank < 0 || rank >= ranks)
      return fmt::format("group \"{}\" has rank {} of {}", shown(group.name), rank, ranks);
  return {};
}

std::optional<std::string> take_lists(Tables& tables, const chakra_tables::Tables& from) {
  tables.ranks.assign(from.ranks().begin(), from.ranks().end());
  for (const auto& lane : from.lanes())
    if (auto wrong = take_lane(tables.lanes.emplace_back(), lane)) return wrong;
  for (const auto& info : from.infos())
    if (auto wrong = take_info(tables.infos.emplace_back(), info, from.lanes_size())) return wrong;
  for (const auto& group : from.groups())
    if (auto wrong = take_group(tables.groups.emplace_back(), group, from.ranks_size()))
      return wrong;
  for (const auto& remark : from.remarks()) tables.remarks.push_back({remark});
  return {};
}

void put_infos(chakra_tables::Tables& into, const Tables& tables) {
  for (const SpanInfo& info : tables.infos) {
    chakra_tables::Info& put = *into.add_infos();
    put.set_name(info.name);
    put.set_kind(std::string(name_of(info.kind)));
    put.set_work(std::string(name_of(info.work)));
    put.set_phase(std::string(name_of(info.phase)));
    put.set_axis(std::string(name_of(info.axis)));
    put.set_size(info.size.value);
    put.set_lane(info.lane);
    put.set_detail(info.detail);
  }
}

}  // namespace

std::string tables_bytes(const Tables& tables) {
  chakra_tables::Tables into;
  into.set_name(tables.name);
  into.set_world_size(tables.world_size);
  into.set_recorded(tables.recorded);
  into.set_lanes_in_order(tables.lanes_in_order);
  into.set_end_picoseconds(tables.end.picoseconds);
  for (const LaneInfo& lane : tables.lanes) {
    chakra_tables::Lane& put = *into.add_lanes();
    put.set_kind(std::string(name_of_lane(lane.kind)));
    put.set_name(lane.name);
  }
  put_infos(into, tables);
  for (const WorkloadGroup& group : tables.groups) {
    chakra_tables::Group& put = *into.add_groups();
    put.set_name(group.name);
    for (const std::int32_t rank : group.ranks) put.add_ranks(rank);
    for (const int rank : group.members) put.add_members(rank);
  }
  for (const std::int32_t rank : tables.ranks) into.add_ranks(rank);
  for (const WorkloadRemark& remark : tables.remarks) into.add_remarks(remark.text);
  return into.SerializeAsString();
}

Result<Tables> parse_tables(std::string_view bytes, const std::string& where) {
  const std::string place = where + ": quintet_tables";
  chakra_tables::Tables from;
  if (!from.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return Error{place, "cannot be read: the file is damaged; write it again"};
  Tables tables;
  tables.name = from.name();
  tables.world_size = from.world_size();
  tables.recorded = from.recorded();
  tables.lanes_in_order = from.lanes_in_order();
  tables.end = {from.end_picoseconds()};
  if (const auto wrong = take_lists(tables, from))
    return Error{place, *wrong + "; write the file again with this version"};
  return tables;
}

Tables tables_of(const Workload& workload) {
  Tables tables{.name = workload.name,
                .world_size = workload.world_size,
                .recorded = workload.recorded,
                .lanes_in_order = workload.lanes_in_order,
                .end = workload.end,
                .lanes = workload.lanes,
                .infos = workload.infos,
                .groups = workload.groups,
                .ranks = {},
                .remarks = workload.remarks};
  for (const WorkloadRank& rank : workload.ranks) tables.ranks.push_back(rank.rank.value);
  return tables;
}

}  // namespace quintet::chakra
