// Writes a rank's shard while training goes on.
#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <optional>

#include "engine/files/checkpoint/shard_file.h"
#include "sim/base/result.h"

namespace quintet {

// One at a time: a second copy would double the memory again, so its owner has to collect the first
// result before.
class BackgroundWriter {
 public:
  // Waits for what is being written.
  ~BackgroundWriter();

  bool busy() const { return result_.valid(); }
  // Not busy. The file's folder is there.
  void start(std::filesystem::path file, std::unique_ptr<ShardSource> source);
  // The result once it is there; it is given out once. Does not wait.
  std::optional<Result<ShardSummary>> finished();
  // Busy. Waits.
  Result<ShardSummary> wait();

 private:
  std::future<Result<ShardSummary>> result_;
};

}  // namespace quintet
