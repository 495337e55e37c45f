// What the tuner plugin knows of one communicator: its rules, and what it has written down already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>

#include "engine/nccl/plugins/plugin_interface.h"
#include "engine/nccl/plugins/plugin_text.h"
#include "engine/nccl/tuner_rules.h"

namespace quintet::nccl_plugin {

using engine::TunerRule;
using engine::TunerRules;

inline constexpr const char* tuner_name = "Quintet's NCCL tuner";

struct Asked {
  CollectiveKind kind;
  std::size_t bytes;
  int operations, registered;
  auto operator<=>(const Asked&) const = default;
};

// NCCL's table: rows of algorithms, columns of protocols.
class Times {
 public:
  Times(float** table, int rows, int columns)
      : first_(reinterpret_cast<float*>(table)), rows_(rows), columns_(columns) {}
  int rows() const { return rows_ < algorithms ? rows_ : algorithms; }
  int columns() const { return columns_ < protocols ? columns_ : protocols; }
  float& at(int row, int column) const { return first_[row * columns_ + column]; }

 private:
  float* first_;
  int rows_, columns_;
};

class TunerContext {
 public:
  // Reads the rules; what is wrong with them is said, and the table is then left alone.
  TunerContext(std::uint64_t id, std::size_t ranks, std::size_t nodes, Logger log);

  void note_constants(const TunerConstants& constants);
  void choose(const Asked& asked, const Times& times, int& channels);

 private:
  void read_rules(const char* path);
  void note(const Asked& asked, const Times& times, const TunerRule* rule);
  void cannot(const Asked& asked, const TunerRule& rule);
  std::string heading(const char* content) const;

  std::uint64_t id_;
  std::size_t ranks_, nodes_;
  Logger log_;
  LineFile table_;
  TunerRules rules_;
  std::mutex mutex_;  // of the rest: several threads may enqueue
  std::set<Asked> noted_;
  std::set<const TunerRule*> warned_of_;
};

}  // namespace quintet::nccl_plugin
