// A build without simdjson, protobuf or SQLite 3 reads no traces.
#include "calibrate/fit/recordings.h"

namespace quintet::calibrate {

bool is_recorded(const std::filesystem::path&) {
  return false;
}

Result<Measurements> read_recordings(std::span<const std::filesystem::path> files) {
  return Error{
      files.empty() ? "" : files.front().string(),
      "this build reads no recordings: it was made without simdjson, protobuf or SQLite 3"};
}

}  // namespace quintet::calibrate
