#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "sim/packing/byte_source.h"
#include "traces/chakra/assembly.h"
#include "traces/chakra/chakra.h"
#include "traces/chakra/input_files.h"
#include "traces/chakra/json_nodes.h"
#include "traces/chakra/messages.h"
#include "traces/chakra/process_groups.h"
#include "traces/chakra/protobuf_nodes.h"

namespace quintet {

namespace {

namespace fs = std::filesystem;

// What has been read of the files so far.
struct Inputs {
  std::vector<chakra::RankNodes> ranks;
  std::vector<chakra::NamedGroup> groups;
};

std::optional<Error> take_json(Inputs& inputs, std::string_view json, const std::string& where) {
  if (chakra::is_workload_graph(json)) {
    Result<chakra::RankNodes> nodes = chakra::parse_json_nodes(json, where);
    if (!nodes) return nodes.error();
    inputs.ranks.push_back(std::move(*nodes));
    return {};
  }
  Result<std::vector<chakra::NamedGroup>> groups = chakra::parse_groups(json, where);
  if (!groups) return groups.error();
  inputs.groups.insert(inputs.groups.end(), groups->begin(), groups->end());
  return {};
}

std::optional<Error> take_messages(Inputs& inputs, chakra::ReadBytes read, const std::string& where,
                                   const std::function<void()>& told) {
  chakra::Messages messages(std::move(read), where);
  Result<chakra::RankNodes> nodes = chakra::read_protobuf_nodes(messages, told);
  if (!nodes) return nodes.error();
  nodes->rank = chakra::rank_of(where);
  inputs.ranks.push_back(std::move(*nodes));
  return {};
}

Result<std::string> rest_of(ByteSource& source, std::string text, const std::string& where) {
  constexpr std::size_t block = std::size_t{1} << 20, most = std::size_t{2} << 30;
  while (true) {
    const std::size_t had = text.size();
    text.resize(had + block);
    const Result<std::size_t> count = source.read(std::span(text).subspan(had));
    if (!count) return count.error();
    text.resize(had + *count);
    if (*count == 0) return text;
    if (text.size() > most) return Error{where, "is JSON of more than 2 GB; give .et files"};
  }
}

std::optional<Error> take_file(Inputs& inputs, const fs::path& file,
                               const std::function<void(std::size_t)>& told) {
  constexpr std::size_t looked_at = 4096;
  Result<ByteSource> source = ByteSource::open(file);
  if (!source) return source.error();
  std::string beginning(looked_at, '\0');
  const Result<std::size_t> count = source->read(beginning);
  if (!count) return count.error();
  beginning.resize(*count);
  if (chakra::is_json(beginning)) {
    const Result<std::string> json = rest_of(*source, std::move(beginning), file.string());
    if (!json) return json.error();
    auto wrong = take_json(inputs, *json, file.string());
    if (!wrong && !inputs.ranks.empty() && inputs.ranks.back().where == file.string())
      inputs.ranks.back().rank = chakra::rank_of(file);
    return wrong;
  }
  std::string_view looked = beginning;
  const auto read = [&](std::span<char> into) -> Result<std::size_t> {
    if (looked.empty()) return source->read(into);
    const std::size_t given = std::min(into.size(), looked.size());
    std::copy_n(looked.data(), given, into.data());
    looked.remove_prefix(given);
    return given;
  };
  return take_messages(inputs, read, file.string(), [&] { told(source->taken()); });
}

}  // namespace

Result<Workload> read_chakra(std::span<const fs::path> paths, const ReadingProgress& progress) {
  const Result<std::vector<fs::path>> files = chakra::input_files(paths);
  if (!files) return files.error();
  std::size_t all = 0, before = 0;
  std::error_code wrong;
  const auto size_of = [&](const fs::path& file) {
    const auto size = fs::file_size(file, wrong);
    return wrong ? 0 : static_cast<std::size_t>(size);
  };
  for (const fs::path& file : *files) all += size_of(file);
  Inputs inputs;
  for (const fs::path& file : *files) {
    const auto told = [&](std::size_t taken) {
      if (progress) progress(before + taken, all);
    };
    if (auto failed = take_file(inputs, file, told)) return *failed;
    before += size_of(file);
    told(0);
  }
  return chakra::workload_of(std::move(inputs.ranks), inputs.groups);
}

Result<Workload> parse_chakra(std::span<const ChakraBytes> files) {
  Inputs inputs;
  for (const ChakraBytes& file : files) {
    auto wrong = chakra::is_json(file.bytes)
                     ? take_json(inputs, file.bytes, file.where)
                     : take_messages(inputs, chakra::reading(file.bytes), file.where, {});
    if (wrong) return *wrong;
    if (!inputs.ranks.empty() && inputs.ranks.back().where == file.where)
      inputs.ranks.back().rank = chakra::rank_of(file.where);
  }
  return chakra::workload_of(std::move(inputs.ranks), inputs.groups);
}

}  // namespace quintet
