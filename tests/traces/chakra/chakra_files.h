// Files to read in tests: small .et files put together here, and the samples of other programs.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "traces/chakra/chakra.h"

namespace quintet::chakra_test {

inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes += static_cast<char>(value);
}
inline std::string number(int field, std::uint64_t value) {
  return varint(static_cast<std::uint64_t>(field) << 3) + varint(value);
}
inline std::string bytes(int field, std::string_view value) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(value.size()) +
         std::string(value);
}
inline std::string message(std::string_view text) {
  return varint(text.size()) + std::string(text);
}

// Attributes: field 9 int64_val, 27 bool_val, 29 string_val, 5 int32_val and so on.
inline std::string attribute(std::string_view name, int field, std::uint64_t value) {
  return bytes(10, bytes(1, name) + number(field, value));
}
inline std::string attribute(std::string_view name, std::string_view value) {
  return bytes(10, bytes(1, name) + bytes(29, value));
}

enum Type : std::uint64_t {
  metadata = 1,
  load = 2,
  store = 3,
  compute = 4,
  send = 5,
  receive = 6,
  collective = 7
};

struct NodeText {
  std::uint64_t id = 0;
  std::uint64_t type = compute;
  std::vector<std::uint64_t> data_after{}, control_after{};
  std::uint64_t duration = 0;
  std::string attributes{};
};
inline std::string node(const NodeText& of) {
  std::string text;
  if (of.id != 0) text += number(1, of.id);  // as proto3 does
  text += bytes(2, "n" + std::to_string(of.id)) + number(3, of.type);
  for (const std::uint64_t id : of.control_after) text += number(4, id);
  for (const std::uint64_t id : of.data_after) text += number(5, id);
  if (of.duration != 0) text += number(7, of.duration);
  return message(text + of.attributes);
}
inline std::string all_reduce_attributes(std::uint64_t size, std::string_view group = "") {
  return attribute("is_cpu_op", 27, 0) + attribute("comm_type", 9, 0) +
         attribute("comm_size", 9, size) + (group.empty() ? "" : attribute("pg_name", group));
}
inline std::string file(const std::vector<NodeText>& nodes) {
  std::string text = message(bytes(1, "0.0.4"));
  for (const NodeText& of : nodes) text += node(of);
  return text;
}

inline Result<Workload> parse(const std::vector<std::string>& files) {
  std::vector<ChakraBytes> given;
  for (std::size_t i = 0; i < files.size(); ++i)
    given.push_back({"job." + std::to_string(i) + ".et", files[i]});
  return parse_chakra(given);
}

inline std::filesystem::path samples() {
  return std::filesystem::path(QUINTET_SOURCE_DIR) / "../shared/samples/chakra";
}
inline bool has_samples() {
  return std::filesystem::exists(samples());
}
#define QUINTET_NEEDS_SAMPLES()                                                   \
  if (!chakra_test::has_samples())                                                \
  GTEST_SKIP() << "NOT TESTED: the samples of other programs are not beside the " \
                  "repository (../shared/samples/chakra)"

// The tasks that a task is after.
inline std::vector<std::int32_t> after(const WorkloadRank& rank, std::size_t task) {
  return {rank.after.begin() + rank.after_begin[task],
          rank.after.begin() + rank.after_begin[task + 1]};
}
inline const SpanInfo& info(const Workload& workload, std::size_t rank, std::size_t task) {
  return workload.infos[static_cast<std::size_t>(workload.ranks[rank].tasks[task].info)];
}
inline const TaskPeers& peers(const Workload& workload, std::size_t rank, std::size_t task) {
  const WorkloadRank& of = workload.ranks[rank];
  return of.peers[static_cast<std::size_t>(of.tasks[task].peers)];
}
inline std::string remarks(const Workload& workload) {
  std::string text;
  for (const WorkloadRemark& remark : workload.remarks) text += remark.text + "\n";
  return text;
}

}  // namespace quintet::chakra_test
