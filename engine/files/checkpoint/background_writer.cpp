#include "engine/files/checkpoint/background_writer.h"

#include <cassert>
#include <chrono>
#include <utility>

namespace quintet {

BackgroundWriter::~BackgroundWriter() {
  if (busy()) result_.wait();
}

void BackgroundWriter::start(std::filesystem::path file, std::unique_ptr<ShardSource> source) {
  assert(!busy());
  result_ = std::async(std::launch::async, [file = std::move(file), source = std::move(source)]() {
    return write_shard(file, *source);
  });
}

std::optional<Result<ShardSummary>> BackgroundWriter::finished() {
  if (!busy() || result_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    return std::nullopt;
  return result_.get();
}

Result<ShardSummary> BackgroundWriter::wait() {
  assert(busy());
  return result_.get();
}

}  // namespace quintet
