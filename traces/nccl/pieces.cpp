#include "traces/nccl/pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/base/shown_text.h"

namespace quintet {
namespace {

constexpr std::size_t longest = 16 << 20;
constexpr int at_end = -1, has_failed = -2;

}  // namespace

Pieces::Pieces(std::string where, Read read)
    : where_(std::move(where)), read_(std::move(read)), buffer_(1 << 16, '\0') {}

int Pieces::next() {
  if (at_ == filled_) {
    const Result<std::size_t> count = read_(buffer_);
    at_ = 0, filled_ = count ? *count : 0;
    if (!count) return failed_ = count.error(), has_failed;
    if (filled_ == 0) return at_end;
  }
  const char letter = buffer_[at_++];
  if (letter == '\n') ++lines_;
  return static_cast<unsigned char>(letter);
}

std::string Pieces::place() const {
  return fmt::format("{}: line {}", where_, line_of_piece_ + 1);
}

Error Pieces::too_long() const {
  return Error{place(), "is longer than 16 MiB; expected a record of NCCL's on a line"};
}

Result<bool> Pieces::line(std::string& into) {
  into.clear();
  line_of_piece_ = lines_;
  int letter = next();
  if (letter == at_end) return false;
  for (; letter >= 0 && letter != '\n'; letter = next()) {
    into += static_cast<char>(letter);
    if (into.size() > longest) return too_long();
  }
  if (letter == has_failed) return failure();
  if (into.ends_with('\r')) into.pop_back();
  return true;
}

Result<bool> Pieces::object(std::string& into) {
  into.clear();
  int letter = next();
  while (letter >= 0 && std::strchr(" \t\r\n,[]", letter) != nullptr && letter != 0)
    letter = next();
  line_of_piece_ = lines_;
  if (letter == has_failed) return failure();
  if (letter == at_end) return false;
  if (letter != '{')
    return Error{place(), "expected an event in {...}, found " +
                              in_quotes(std::string(1, static_cast<char>(letter)))};
  into += '{';
  return rest_of_object(into);
}

Result<bool> Pieces::rest_of_object(std::string& into) {
  bool quoted = false, escaped = false;
  for (int depth = 1; depth > 0;) {
    const int letter = next();
    if (letter == has_failed) return failure();
    if (letter == at_end)
      return Error{place(), "the event that begins here is cut off; remove it and what is behind"};
    into += static_cast<char>(letter);
    if (into.size() > longest) return too_long();
    if (escaped)
      escaped = false;
    else if (letter == '\\')
      escaped = quoted;
    else if (letter == '"')
      quoted = !quoted;
    else if (!quoted && letter == '{')
      ++depth;
    else if (!quoted && letter == '}')
      --depth;
  }
  return true;
}

Pieces::Read reading(std::string_view text) {
  return [text](std::span<char> into) mutable -> Result<std::size_t> {
    const std::size_t count = std::min(text.size(), into.size());
    std::memcpy(into.data(), text.data(), count);
    text.remove_prefix(count);
    return count;
  };
}

Pieces::Read reading(ByteSource& source, const ReadingProgress& progress) {
  return [&source, progress](std::span<char> into) {
    if (progress) progress(source.taken(), source.size());
    return source.read(into);
  };
}

}  // namespace quintet
