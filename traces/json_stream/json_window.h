// A stretch of a text that is too long for memory: what is needed next lies in one piece.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "sim/timeline/reading_progress.h"

namespace quintet::json_stream {

class JsonWindow {
 public:
  // Fills from the front; less than all at the end only, as ByteSource::read.
  using Read = std::function<Result<std::size_t>(std::span<char>)>;
  // Told that bytes have come; returns which part of all they are, 0 to 1, about.
  using Progress = std::function<double()>;
  JsonWindow(Read read, Progress progress, std::string where);

  // Not yet consumed. A byte may be written on either side of it, and `padding` bytes read after.
  std::string_view text() const { return {buffer_.data() + begin_, end_ - begin_}; }
  char* data() { return buffer_.data() + begin_; }
  static constexpr std::size_t padding = 64;

  void consume(std::size_t count) { begin_ += count, offset_ += count; }
  // More text behind that which is there; false: there is none. Fails where reading does, or where
  // what lies in one piece would be larger than `most`.
  Result<bool> more();
  static constexpr std::size_t most = std::size_t{64} << 20;

  // Of the text's first byte in all.
  std::size_t offset() const { return offset_; }
  // "trace.json: byte 1024"
  std::string place(std::size_t ahead = 0) const;
  Error error(std::string what, std::size_t ahead = 0) const;
  const std::string& where() const { return where_; }
  // Which part of all has been read, about.
  double part_read() const { return part_read_; }

 private:
  Read read_;
  Progress progress_;
  std::string where_;
  std::vector<char> buffer_;
  std::size_t begin_ = 1, end_ = 1, offset_ = 0;
  bool ended_ = false;
  double part_read_ = 0;
};

}  // namespace quintet::json_stream
