// Which collectives NCCL can be asked for, and which of them it did as asked, by what the tuner
// plugin wrote down (engine/nccl/plugins/tuner_plugin.cpp). Pure but for the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "calibrate/ranks/ranks.h"
#include "engine/nccl/tuner_rules.h"

namespace quintet::calibrate {

// An algorithm and a protocol that NCCL is made to take; none: its own choice.
struct NcclChoice {
  std::optional<Algorithm> algorithm;
  std::optional<Protocol> protocol;
  auto operator<=>(const NcclChoice&) const = default;
};

// First NCCL's own choice for every kind, then, where the tuner plugin can force them, choice by
// choice all that NCCL 2.28 has (src/graph/tuning.cc; not every machine has every one).
enum class TunerPlugin { missing, present };
std::vector<Method> methods_on_gpus(TunerPlugin tuner);
// A gradient bucket may have a gigabyte; 64 MiB reach the rate of a pair over NVLink.
inline constexpr MessageSizes sizes_on_gpus{Bytes{1 << 30}, Bytes{64 << 20}, Bytes{64 << 20},
                                            Seconds{0.05}};

// The communicator of these members that is made to take this: its name, one word, and the rules.
engine::TunerRules rules_of(const Members& members, const NcclChoice& choice);

// What the tuner plugin's file says (QUINTET_NCCL_TABLE), read on as it grows.
class NcclAccount {
 public:
  explicit NcclAccount(std::filesystem::path file) : file_(std::move(file)) {}

  // Whether NCCL could take the choice for this when it was last asked on a communicator of that
  // name: then the plugin has left it nothing else. Nothing: it was not asked, as far as the file
  // knows.
  std::optional<bool> could(const std::string& communicator, CollectiveKind kind,
                            const NcclChoice& choice, std::uint64_t bytes);
  // The same of any size.
  std::optional<bool> could(const std::string& communicator, CollectiveKind kind,
                            const NcclChoice& choice);

 private:
  struct Asked {
    std::string communicator, kind;
    std::uint64_t bytes = 0;
    auto operator<=>(const Asked&) const = default;
  };
  using Cells = std::set<std::pair<std::string, std::string>>;  // algorithm, protocol

  void read_on();

  std::filesystem::path file_;
  std::uintmax_t read_ = 0;  // bytes
  std::map<Asked, Cells> tables_;
};

}  // namespace quintet::calibrate
