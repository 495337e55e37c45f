#include "traces/chakra/own_nodes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "sim/base/quantity_text.h"
#include "traces/chakra/chakra_node.h"
#include "traces/chakra/et_def.pb.h"
#include "traces/chakra/tables.h"

namespace quintet::chakra {

namespace {

namespace et = ChakraProtoMsg;

constexpr std::int64_t per_microsecond = 1'000'000;  // picoseconds

void write_message(std::ostream& out, const std::string& message) {
  for (std::size_t size = message.size();; size >>= 7) {
    if (size < 0x80) {
      out.put(static_cast<char>(size));
      break;
    }
    out.put(static_cast<char>(size | 0x80));
  }
  out.write(message.data(), static_cast<std::streamsize>(message.size()));
}

// To whole microseconds; what took time does not take none.
std::uint64_t microseconds(std::int64_t picoseconds) {
  if (picoseconds <= 0) return 0;
  const std::int64_t rest = picoseconds % per_microsecond;
  const std::int64_t whole = picoseconds / per_microsecond + (rest >= per_microsecond / 2 ? 1 : 0);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(whole, 1));
}

// A double that an integer of the file can hold, rounded.
std::int64_t whole(double value) {
  if (!(value > 0)) return 0;
  return value < 0x1p63 ? std::llround(value) : std::numeric_limits<std::int64_t>::max();
}

CollectiveType type_of(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce:
      return CollectiveType::all_reduce;
    case CollectiveKind::reduce_scatter:
      return CollectiveType::reduce_scatter;
    case CollectiveKind::all_gather:
      return CollectiveType::all_gather;
    case CollectiveKind::broadcast:
      return CollectiveType::broadcast;
    case CollectiveKind::reduce:
      return CollectiveType::reduce;
    case CollectiveKind::all_to_all:
      return CollectiveType::all_to_all;
  }
  return CollectiveType::all_reduce;
}

// How many, with those that are only known of.
double members_of(const WorkloadGroup& group) {
  return static_cast<double>(std::max<std::size_t>({group.ranks.size(), group.members.size(), 1}));
}

et::NodeType node_type(const WorkloadTask& task, SpanKind kind) {
  if (kind == SpanKind::copy) return et::MEM_LOAD_NODE;
  if (task.peers < 0) return et::COMP_NODE;
  if (kind == SpanKind::send) return et::COMM_SEND_NODE;
  return kind == SpanKind::receive ? et::COMM_RECV_NODE : et::COMM_COLL_NODE;
}

class NodeWriter {
 public:
  NodeWriter(const Workload& workload, std::size_t rank)
      : workload_(workload), rank_(workload.ranks[rank]), last_(workload.lanes.size(), -1) {}

  const et::Node& node(std::size_t index);

 private:
  et::AttributeProto& attribute(std::string_view name) {
    et::AttributeProto& added = *node_.add_attr();
    added.set_name(std::string(name));
    return added;
  }
  void integer(std::string_view name, std::int64_t value) { attribute(name).set_int64_val(value); }
  void unless(std::int64_t usual, std::string_view name, std::int64_t value) {
    if (value != usual) integer(name, value);
  }
  void put_order(std::size_t index);
  void put_times(const WorkloadTask& task);
  void put_work(const WorkloadTask& task, const SpanInfo& info);
  void put_collective(const TaskPeers& peers, const SpanInfo& info);
  void put_message(const TaskPeers& peers, const SpanInfo& info);
  void put_peers(const WorkloadTask& task, const SpanInfo& info);
  void put_own(const WorkloadTask& task);

  const Workload& workload_;
  const WorkloadRank& rank_;
  std::vector<std::int64_t> last_;  // per lane, the task before
  std::int64_t next_peers_ = 0;     // that a reader takes the next to be
  et::Node node_;                   // its memory serves all
};

void NodeWriter::put_order(std::size_t index) {
  for (auto k = rank_.after_begin[index]; k < rank_.after_begin[index + 1]; ++k)
    node_.add_data_deps(static_cast<std::uint64_t>(rank_.after[static_cast<std::size_t>(k)]));
  const WorkloadTask& task = rank_.tasks[index];
  const auto lane =
      static_cast<std::size_t>(workload_.infos[static_cast<std::size_t>(task.info)].lane);
  if (workload_.lanes_in_order && last_[lane] >= 0)
    node_.add_ctrl_deps(static_cast<std::uint64_t>(last_[lane]));
  last_[lane] = static_cast<std::int64_t>(index);
}

void NodeWriter::put_times(const WorkloadTask& task) {
  const std::int64_t took =
      task.work.picoseconds >= 0 ? task.work.picoseconds : (task.end - task.start).picoseconds;
  node_.set_start_time_micros(static_cast<std::uint64_t>(
      std::max<std::int64_t>(task.start.picoseconds, 0) / per_microsecond));
  node_.set_duration_micros(microseconds(took));
  unless(-1, "quintet_picoseconds", task.work.picoseconds);
  unless(0, "quintet_start", task.start.picoseconds);
  unless(0, "quintet_moving", task.moving.picoseconds);
  unless(0, "quintet_end", task.end.picoseconds);
}

// ASTRA-sim stops at compute without num_ops and tensor_size.
void NodeWriter::put_work(const WorkloadTask& task, const SpanInfo& info) {
  const bool is_copy = info.kind == SpanKind::copy;
  const std::int64_t flops = whole(task.flops.value);
  const std::int64_t touched = whole(is_copy ? info.size.value : task.touched.value);
  integer("num_ops", flops);
  attribute("tensor_size").set_uint64_val(static_cast<std::uint64_t>(touched));
  if (static_cast<double>(flops) != task.flops.value)
    attribute("quintet_flops").set_double_val(task.flops.value);
  if (is_copy ? task.touched != Bytes{} : static_cast<double>(touched) != task.touched.value)
    attribute("quintet_touched").set_double_val(task.touched.value);
}

void NodeWriter::put_collective(const TaskPeers& peers, const SpanInfo& info) {
  const auto group = static_cast<std::size_t>(peers.group);
  Bytes size = info.size;
  if (peers.collective == CollectiveKind::all_gather)  // what one rank puts in
    size = size / members_of(workload_.groups[group]);
  integer("comm_type", static_cast<std::int64_t>(type_of(peers.collective)));
  integer("comm_size", whole(std::ceil(size.value)));
  attribute("pg_name").set_string_val(std::to_string(group + 1));
}

// A tag of ASTRA-sim's is an int32; what does not fit is folded, and tells messages of a pair apart
// by their order still.
void NodeWriter::put_message(const TaskPeers& peers, const SpanInfo& info) {
  constexpr std::int64_t fold = std::int64_t{1} << 31;
  integer("comm_size", whole(info.size.value));
  const std::int32_t own = rank_.rank.value;
  const std::int32_t other = workload_.ranks[static_cast<std::size_t>(peers.peer)].rank.value;
  attribute("comm_src").set_int32_val(info.kind == SpanKind::send ? own : other);
  attribute("comm_dst").set_int32_val(info.kind == SpanKind::send ? other : own);
  attribute("comm_tag")
      .set_int32_val(static_cast<std::int32_t>(((peers.tag % fold) + fold) % fold));
}

void NodeWriter::put_peers(const WorkloadTask& task, const SpanInfo& info) {
  if (task.peers < 0) return;
  const TaskPeers& peers = rank_.peers[static_cast<std::size_t>(task.peers)];
  if (info.kind == SpanKind::collective)
    put_collective(peers, info);
  else
    put_message(peers, info);
  unless(-1, "quintet_group", peers.group);
  unless(-1, "quintet_sequence", peers.sequence);
  unless(0, "quintet_tag", peers.tag);
  unless(next_peers_, "quintet_peers", task.peers);
  next_peers_ = std::max(next_peers_, std::int64_t{task.peers} + 1);
  if (peers.type != DataType::fp32)
    attribute("quintet_data_type").set_string_val(std::string(name_of(peers.type)));
}

void NodeWriter::put_own(const WorkloadTask& task) {
  integer("quintet_info", task.info);
  unless(-1, "quintet_layer", task.layer);
  unless(-1, "quintet_micro_batch", task.micro_batch);
  unless(0, "quintet_chunk", task.chunk);
  unless(-1, "quintet_bucket", task.bucket);
}

const et::Node& NodeWriter::node(std::size_t index) {
  const WorkloadTask& task = rank_.tasks[index];
  const SpanInfo& info = workload_.infos[static_cast<std::size_t>(task.info)];
  node_.Clear();
  node_.set_id(index);
  node_.set_name(info.name);
  node_.set_type(node_type(task, info.kind));
  attribute("is_cpu_op").set_bool_val(info.kind == SpanKind::host);
  put_order(index);
  put_times(task);
  put_work(task, info);
  put_peers(task, info);
  put_own(task);
  return node_;
}

std::string metadata(const Workload& workload, const WorkloadRank& rank) {
  et::GlobalMetadata metadata;
  metadata.set_version("0.0.4");  // of Chakra's schema, as its generator writes it
  const auto add = [&](std::string_view name) -> et::AttributeProto& {
    et::AttributeProto& added = *metadata.add_attr();
    added.set_name(std::string(name));
    return added;
  };
  add("quintet_tables").set_bytes_val(tables_bytes(tables_of(workload)));
  add("quintet_stage").set_int64_val(rank.stage);
  add("quintet_role").set_string_val(rank.role);
  add("quintet_host").set_string_val(rank.host);
  return metadata.SerializeAsString();
}

}  // namespace

void write_rank(std::ostream& out, const Workload& workload, std::size_t rank) {
  write_message(out, metadata(workload, workload.ranks[rank]));
  NodeWriter writer(workload, rank);
  for (std::size_t i = 0; i < workload.ranks[rank].tasks.size(); ++i)
    write_message(out, writer.node(i).SerializeAsString());
}

}  // namespace quintet::chakra
