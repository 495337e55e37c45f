#include "engine/launch/line_forwarder.h"

#include <unistd.h>

#include <array>
#include <cerrno>

namespace quintet::engine {

void LineForwarder::forward() {
  constexpr std::size_t longest_line = 65536;
  std::array<char, 4096> piece{};
  const ssize_t count = read(from_.number(), piece.data(), piece.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count > 0) rest_.append(piece.data(), static_cast<std::size_t>(count));
  std::size_t begin = 0;
  for (std::size_t end; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1)
    say(rest_.substr(begin, end - begin));
  rest_.erase(0, begin);
  const bool ended = count <= 0;
  if (!rest_.empty() && (ended || rest_.size() > longest_line)) {
    say(rest_);
    rest_.clear();
  }
  if (ended) from_ = Descriptor();
}

// One write a line: whoever reads the other end sees whole lines.
void LineForwarder::say(const std::string& line) {
  if (!line.empty()) last_ = line;
  const std::string whole = prefix_ + line + "\n";
  for (std::size_t done = 0; done < whole.size();) {
    const ssize_t count = write(to_, whole.data() + done, whole.size() - done);
    if (count < 0 && errno != EINTR) return;  // nobody reads any more
    if (count > 0) done += static_cast<std::size_t>(count);
  }
}

}  // namespace quintet::engine
