#include "traces/nccl/nccl_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

namespace quintet {
namespace {

using enum CommunicationKind;

constexpr std::array<NcclType, 12> types{{
    {"int8", 1, DataType::int8},
    {"uint8", 1, DataType::int8},
    {"int32", 4, DataType::int32},
    {"uint32", 4, DataType::int32},
    {"int64", 8, std::nullopt},
    {"uint64", 8, std::nullopt},
    {"float16", 2, DataType::fp16},
    {"float32", 4, DataType::fp32},
    {"float64", 8, std::nullopt},
    {"bfloat16", 2, DataType::bf16},
    {"float8e4m3", 1, DataType::fp8},
    {"float8e5m2", 1, DataType::fp8},
}};

// Other names of the types above, in lower case, without "nccl".
constexpr std::array<std::pair<std::string_view, int>, 42> other_names{{
    {"char", 0},         {"i8", 0},        {"s8", 0},           {"byte", 1},
    {"u8", 1},           {"bool", 1},      {"int", 2},          {"i32", 2},
    {"s32", 2},          {"u32", 3},       {"long", 4},         {"i64", 4},
    {"s64", 4},          {"u64", 5},       {"half", 6},         {"f16", 6},
    {"fp16", 6},         {"float", 7},     {"f32", 7},          {"fp32", 7},
    {"double", 8},       {"f64", 8},       {"fp64", 8},         {"bf16", 9},
    {"nv_bfloat16", 9},  {"f8e4m3", 10},   {"fp8e4m3", 10},     {"f8e5m2", 11},
    {"fp8e5m2", 11},     {"int8_t", 0},    {"uint8_t", 1},      {"int32_t", 2},
    {"uint32_t", 3},     {"int64_t", 4},   {"uint64_t", 5},     {"float8_e4m3fn", 10},
    {"float8_e5m2", 11}, {"short", -1},    {"hip_bfloat16", 9}, {"rccl_bfloat16", 9},
    {"fp8_e4m3", 10},    {"fp8_e5m2", 11},
}};

struct KindName {
  std::string_view letters;  // lower case
  CommunicationKind kind;
};

// As a whole name, without "nccl". Base, coalesced and v forms are PyTorch's.
constexpr std::array<KindName, 29> kind_names{{
    {"allreduce", all_reduce},
    {"allreducecoalesced", all_reduce},
    {"allreducewithbias", all_reduce},
    {"reducescatter", reduce_scatter},
    {"reducescatterbase", reduce_scatter},
    {"reducescattertensor", reduce_scatter},
    {"reducescattertensorcoalesced", reduce_scatter},
    {"reducescatterv", reduce_scatter},
    {"allgather", all_gather},
    {"allgatherbase", all_gather},
    {"allgatherintotensor", all_gather},
    {"allgatherintotensorcoalesced", all_gather},
    {"allgatherv", all_gather},
    {"broadcast", broadcast},
    {"bcast", broadcast},
    {"reduce", reduce},
    {"alltoall", all_to_all},
    {"alltoallv", all_to_all},
    {"alltoallbase", all_to_all},
    {"alltoallsingle", all_to_all},
    {"gather", gather},
    {"scatter", scatter},
    {"barrier", barrier},
    {"send", send},
    {"isend", send},
    {"recv", receive},
    {"irecv", receive},
    {"receive", receive},
    {"sendrecv", send_and_receive},
}};

// Inside a kernel's name; the first that is found counts.
constexpr std::array<KindName, 11> kernel_kinds{{
    {"allreduce", all_reduce},
    {"reducescatter", reduce_scatter},
    {"allgather", all_gather},
    {"broadcast", broadcast},
    {"sendrecv", send_and_receive},
    {"alltoall", all_to_all},
    {"gather", gather},
    {"scatter", scatter},
    {"reduce", reduce},
    {"send", send},
    {"recv", receive},
}};

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& each : made) each = static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
  return made;
}

std::string letters_of(std::string_view text) {
  std::string made;
  for (const char each : text)
    if (std::isalpha(static_cast<unsigned char>(each)))
      made += static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
  return made;
}

// "_f32" and "_float" but not the "float" of a longer word.
std::optional<NcclType> type_in(const std::string& kernel) {
  std::size_t begin = 0;
  while (begin <= kernel.size()) {
    const std::size_t end = std::min(kernel.find('_', begin), kernel.size());
    const std::string word = kernel.substr(begin, end - begin);
    if (const auto type = nccl_type(word); type && word != "reduce") return type;
    begin = end + 1;
  }
  return std::nullopt;
}

// Algorithm and protocol stand together, whatever the version: "RING_LL_Sum_float",
// "Sum_f32_RING_LL", "RingLLKernel_sum_f32".
std::string detail_of(const std::string& kernel) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> algorithms{
      {{"collnet_direct", "collnet-direct"},
       {"collnet_chain", "collnet-chain"},
       {"collnet", "collnet"},
       {"nvls_tree", "nvls-tree"},
       {"nvls", "nvls"},
       {"tree", "tree"},
       {"ring", "ring"},
       {"_pat_", "pat"}}};
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> protocols{
      {{"ll128", "LL128"}, {"ll", "LL"}, {"simple", "simple"}}};
  // "SendRecv_RING_SIMPLE" was the name of every build of it: it says nothing.
  if (kernel.find("sendrecv") != std::string::npos) return {};
  for (const auto& [word, name] : algorithms) {
    const std::size_t at = kernel.find(word);
    if (at == std::string::npos) continue;
    std::string_view rest = std::string_view(kernel).substr(at + word.size());
    if (rest.starts_with('_')) rest.remove_prefix(1);
    for (const auto& [protocol, shown] : protocols)
      if (rest.starts_with(protocol)) return std::string(name) + " " + std::string(shown);
    return std::string(name);
  }
  return {};
}

}  // namespace

std::optional<NcclType> nccl_type(std::int64_t number) {
  if (number < 0 || number >= static_cast<std::int64_t>(types.size())) return std::nullopt;
  return types[static_cast<std::size_t>(number)];
}

std::optional<NcclType> nccl_type(std::string_view name) {
  std::string word = lower(name);
  if (word.starts_with("nccl")) word.erase(0, 4);
  while (word.starts_with('_')) word.erase(0, 1);
  for (const NcclType& type : types)
    if (type.name == word) return type;
  for (const auto& [other, number] : other_names)
    if (other == word) return nccl_type(std::int64_t{number});
  return std::nullopt;
}

CommunicationKind communication_named(std::string_view name) {
  std::string word = letters_of(name);
  if (word.starts_with("nccl")) word.erase(0, 4);
  for (const KindName& each : kind_names)
    if (each.letters == word) return each.kind;
  return unknown;
}

std::optional<RecordedCommunication> communication_of_kernel(std::string_view name) {
  if (name.starts_with("void ")) name.remove_prefix(5);
  const std::string kernel = lower(name.substr(0, name.find_first_of("(<")));
  const bool is_one = (kernel.starts_with("nccl") || kernel.starts_with("rccl")) &&
                      kernel.find("kernel") != std::string::npos;
  if (!is_one) return std::nullopt;
  RecordedCommunication made;
  const std::string letters = letters_of(kernel);
  for (const KindName& each : kernel_kinds)
    if (letters.find(each.letters) != std::string::npos) {
      made.kind = each.kind;
      break;
    }
  // Messages go as bytes, whatever their elements are.
  const auto type = made.kind == send_and_receive ? std::nullopt : type_in(kernel);
  if (type && type->type) made.type = *type->type, made.type_known = true;
  made.detail = detail_of(kernel);
  return made;
}

namespace {

// How many times what is counted is in the full buffer; 0: that depends on ranks, not known.
std::int64_t times_counted(CommunicationKind kind, std::int64_t ranks) {
  switch (kind) {
    case all_gather:
    case reduce_scatter:
    case all_to_all:
    case gather:
    case scatter:
      return std::max<std::int64_t>(ranks, 0);
    case all_reduce:
    case broadcast:
    case reduce:
    case barrier:
    case send:
    case receive:
    case send_and_receive:
    case unknown:
      return 1;
  }
  return 1;
}

}  // namespace

void set_counted(RecordedCommunication& communication, std::int64_t bytes,
                 const std::optional<NcclType>& type, std::int64_t ranks) {
  if (type && type->type) communication.type = *type->type, communication.type_known = true;
  if (bytes < 0) return;
  const std::int64_t times = times_counted(communication.kind, ranks);
  if (times > 0)
    communication.size = Bytes{static_cast<double>(bytes) * static_cast<double>(times)};
  std::int64_t element = type ? type->bytes : 0;
  if (element == 0 && communication.type_known)
    element = static_cast<std::int64_t>(size_of(communication.type).value);
  if (element == 0 || bytes % element != 0) return;
  const std::int64_t counted = bytes / element;
  std::int64_t all = -1;
  if (times == 0 || __builtin_mul_overflow(counted, times, &all)) all = -1;
  const bool gives_all = communication.kind == reduce_scatter || communication.kind == scatter ||
                         communication.kind == all_to_all;
  const bool gets_all = communication.kind == all_gather || communication.kind == gather ||
                        communication.kind == all_to_all;
  communication.elements_in = gives_all ? all : counted;
  communication.elements_out = gets_all ? all : counted;
}

}  // namespace quintet
