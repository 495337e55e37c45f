#include "calibrate/ranks/nccl_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "sim/ccl/algorithms/collective_algorithm.h"
#include "sim/json/json_fields.h"

namespace quintet::calibrate {
namespace {

constexpr std::array kinds{CollectiveKind::all_reduce, CollectiveKind::reduce_scatter,
                           CollectiveKind::all_gather, CollectiveKind::all_to_all,
                           CollectiveKind::broadcast,  CollectiveKind::reduce};

std::vector<Protocol> protocols_of(const NcclCost& cost) {
  if (cost.protocols == NcclCost::Protocols::simple_alone) return {Protocol::simple};
  return {Protocol::ll, Protocol::ll128, Protocol::simple};
}

}  // namespace

std::vector<Method> methods_on_gpus(TunerPlugin tuner) {
  std::vector<Method> methods;
  for (const CollectiveKind kind : kinds) methods.push_back({kind, {}, {}});
  if (tuner == TunerPlugin::missing) return methods;
  for (const Algorithm algorithm : usual_first()) {
    const CollectiveAlgorithm& row = row_of(algorithm);
    if (row.nccl == nullptr) continue;
    for (const Protocol protocol : protocols_of(*row.nccl))
      for (const CollectiveKind kind : kinds)
        if (row.kinds.contains(kind)) methods.push_back({kind, algorithm, protocol});
  }
  return methods;
}

engine::TunerRules rules_of(const Members& members, const NcclChoice& choice) {
  engine::TunerRules rules;
  rules.communicator = fmt::format("ranks-{}+{}x{}", members.first, members.stride, members.count);
  if (!choice.algorithm) return rules;
  rules.communicator += "-" + std::string(name_of(*choice.algorithm));
  if (choice.protocol) rules.communicator += "-" + std::string(name_of(*choice.protocol));
  for (const CollectiveKind kind : kinds)
    if (row_of(*choice.algorithm).kinds.contains(kind))
      rules.rules.push_back(
          {.kind = kind, .algorithm = choice.algorithm, .protocol = choice.protocol});
  return rules;
}

// A line that is not whole yet is left for the next time.
void NcclAccount::read_on() {
  std::ifstream in(file_, std::ios::binary);
  if (!in) return;
  in.seekg(static_cast<std::streamoff>(read_));
  for (std::string line; std::getline(in, line) && !in.eof(); read_ += line.size() + 1) {
    const auto json = json_or_null(line);
    if (!json.is_object() || json.value("content", "") != "times") continue;
    Cells& cells = tables_[{json.value("communicator", ""), json.value("kind", ""),
                            json.value("bytes", std::uint64_t{0})}];
    cells.clear();
    for (const auto& [algorithm, times] : json.at("times").items())
      for (const auto& [protocol, time] : times.items()) cells.emplace(algorithm, protocol);
  }
}

namespace {

template <class Cells>
bool has(const Cells& cells, const NcclChoice& choice) {
  return std::any_of(cells.begin(), cells.end(), [&](const auto& cell) {
    return (!choice.algorithm || cell.first == name_of(*choice.algorithm)) &&
           (!choice.protocol || cell.second == name_of(*choice.protocol));
  });
}

}  // namespace

std::optional<bool> NcclAccount::could(const std::string& communicator, CollectiveKind kind,
                                       const NcclChoice& choice, std::uint64_t bytes) {
  read_on();
  const auto found = tables_.find({communicator, std::string(name_of(kind)), bytes});
  if (found == tables_.end()) return std::nullopt;
  return has(found->second, choice);
}

std::optional<bool> NcclAccount::could(const std::string& communicator, CollectiveKind kind,
                                       const NcclChoice& choice) {
  read_on();
  std::optional<bool> could;
  for (const auto& [asked, cells] : tables_)
    if (asked.communicator == communicator && asked.kind == name_of(kind))
      could = could.value_or(false) || has(cells, choice);
  return could;
}

}  // namespace quintet::calibrate
