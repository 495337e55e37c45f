// A text file that is longer than memory, line by line or JSON object by object: what NCCL's tools
// append to, so that it may end anywhere.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/base/result.h"
#include "sim/packing/byte_source.h"
#include "sim/timeline/reading_progress.h"

namespace quintet {

class Pieces {
 public:
  // As ByteSource::read.
  using Read = std::function<Result<std::size_t>(std::span<char>)>;
  Pieces(std::string where, Read read);

  // The next line without its end, or the next object of a list that need not be closed; false at
  // the end. A piece above 16 MiB is an error, and between objects anything but list's signs.
  Result<bool> line(std::string& into);
  Result<bool> object(std::string& into);

  // Of what was given last: "file: line 3".
  std::string place() const;
  const std::string& where() const { return where_; }

 private:
  // -1: the end; -2: it failed.
  int next();
  Error failure() const { return *failed_; }
  Result<bool> rest_of_object(std::string& into);
  Error too_long() const;

  std::string where_;
  Read read_;
  std::string buffer_;
  std::size_t at_ = 0, filled_ = 0;
  std::size_t lines_ = 0, line_of_piece_ = 0;
  std::optional<Error> failed_;
};

Pieces::Read reading(std::string_view text);
Pieces::Read reading(ByteSource& source, const ReadingProgress& progress);

}  // namespace quintet
