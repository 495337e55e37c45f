#include "gui/window/autosave.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <string>
#include <system_error>

#include "gui/scenario/session_file.h"

namespace quintet::gui {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "autosave-", ending = ".json";

// The process of "autosave-1234.json".
std::optional<pid_t> process_of(const std::string& name) {
  if (!name.starts_with(prefix) || !name.ends_with(ending)) return std::nullopt;
  pid_t process = 0;
  const char* end = name.data() + name.size() - ending.size();
  const auto read = std::from_chars(name.data() + prefix.size(), end, process);
  if (read.ec != std::errc() || read.ptr != end || process <= 0) return std::nullopt;
  return process;
}

bool lives(pid_t process) {
  return kill(process, 0) == 0 || errno == EPERM;
}

}  // namespace

fs::path autosave_folder() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state != '\0')
    return fs::path(state) / "quintet";
  const char* home = std::getenv("HOME");
  return fs::path(home != nullptr ? home : "/tmp") / ".local/state/quintet";
}

std::optional<LeftSession> left_session(const fs::path& folder) {
  std::optional<LeftSession> newest;
  fs::file_time_type when{};
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    const auto process = process_of(entry.path().filename().string());
    if (!process || lives(*process)) continue;
    std::error_code gone;
    const fs::file_time_type time = entry.last_write_time(gone);
    if (gone || (newest && time <= when)) continue;
    Result<Session> session = read_session(entry.path());
    if (!session) continue;
    newest = LeftSession{entry.path(), std::move(*session)};
    when = time;
  }
  return newest;
}

Autosave::Autosave(Document& document, fs::path folder, QObject* parent)
    : QObject(parent),
      document_(document),
      file_(folder / fmt::format("{}{}{}", prefix, getpid(), ending)) {
  std::error_code failed_to_make;
  fs::create_directories(folder, failed_to_make);
  connect(&document_, &Document::session_changed, this, &Autosave::write);
}

Autosave::~Autosave() {
  std::error_code not_there;
  fs::remove(file_, not_there);
}

void Autosave::write() {
  std::error_code not_there;
  if (document_.saved()) {
    fs::remove(file_, not_there);
    return;
  }
  if (const auto error = write_session(file_, document_.session()))
    emit failed(QString::fromStdString("What is open cannot be kept safe: " + error->text()));
}

}  // namespace quintet::gui
