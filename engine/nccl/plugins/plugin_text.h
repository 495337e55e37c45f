// What both plugins need to speak: a line of JSON written at once, and a warning that is seen.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/nccl/plugins/plugin_interface.h"

namespace quintet::nccl_plugin {

inline std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    const bool control = static_cast<unsigned char>(letter) < 0x20;
    result += control ? ' ' : letter;
  }
  return result + '"';
}

inline std::string quoted(const char* text) {
  return text == nullptr ? "null" : quoted(std::string_view(text));
}

inline std::string in_hex(std::uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "\"%016llx\"", static_cast<unsigned long long>(number));
  return text;
}

// Several communicators, and several processes, may add to one file: a line is one write.
class LineFile {
 public:
  explicit LineFile(const char* path)
      : file_(path == nullptr ? -1 : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {}
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;
  ~LineFile() {
    if (file_ >= 0) close(file_);
  }

  bool is_open() const { return file_ >= 0; }
  void add(std::string line) {
    line += '\n';
    if (file_ >= 0 && write(file_, line.data(), line.size()) < 0) ++lost_;
  }
  int lost() const { return lost_; }

 private:
  int file_;
  int lost_ = 0;
};

// NCCL prints its plugins' warnings only where NCCL_DEBUG asks for them; these have to be seen.
inline void warn(const char* plugin, Logger log, const std::string& text) {
  std::fprintf(stderr, "%s: %s\n", plugin, text.c_str());
  if (log != nullptr) log(log_warn, log_tuning, plugin, 0, "%s", text.c_str());
}

}  // namespace quintet::nccl_plugin
