#include "traces/astra_sim/remote_memory.h"

#include "sim/base/text_file.h"
#include "sim/json/json_fields.h"

namespace quintet {
namespace {

double from_zero(JsonObject& object, std::string_view key) {
  const double value = object.number_or(key, 0.0);
  if (value < 0.0) object.fail(key, "expected 0 or more");
  return value;
}

}  // namespace

std::string_view name_of(AstraMemoryKind kind) {
  switch (kind) {
    case AstraMemoryKind::none:
      return "NO_MEMORY_EXPANSION";
    case AstraMemoryKind::per_node:
      return "PER_NODE_MEMORY_EXPANSION";
    case AstraMemoryKind::per_rank:
      return "PER_NPU_MEMORY_EXPANSION";
    case AstraMemoryKind::pool:
      return "MEMORY_POOL";
  }
  return {};
}

Result<AstraRemoteMemory> astra_remote_memory_of(const std::string& text,
                                                 const std::string& where) {
  const auto json = parse_json(text, where);
  if (!json) return json.error();
  JsonObject object(*json, where);
  if (object.failed()) return *object.error();
  AstraRemoteMemory memory;
  using Kind = AstraMemoryKind;
  memory.kind = object.one_of<Kind>("memory-type", {{name_of(Kind::none), Kind::none},
                                                    {name_of(Kind::per_node), Kind::per_node},
                                                    {name_of(Kind::per_rank), Kind::per_rank},
                                                    {name_of(Kind::pool), Kind::pool}});
  memory.nanoseconds = from_zero(object, "remote-mem-latency");
  memory.gigabytes = from_zero(object, "remote-mem-bw");
  memory.nodes = object.integer_or("num-nodes", 0, 0, 1 << 30);
  memory.ranks_per_node = object.integer_or("num-npus-per-node", 0, 0, 1 << 30);
  object.refuse_unknown_keys();
  if (object.failed()) return *object.error();
  return memory;
}

Result<AstraRemoteMemory> read_astra_remote_memory(const std::filesystem::path& file) {
  const auto text = read_text_file(file, Bytes{1e6});
  if (!text) return text.error();
  return astra_remote_memory_of(*text, file.string());
}

}  // namespace quintet
