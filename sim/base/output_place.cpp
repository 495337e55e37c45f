#include "sim/base/output_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "sim/base/shown_text.h"

namespace quintet {
namespace {

namespace fs = std::filesystem;

std::string place(const std::string& option, const fs::path& file) {
  return option + " " + shown(file.string(), 200);
}

std::string no_directory(const fs::path& folder) {
  std::error_code failure;
  const fs::file_status is = fs::status(folder, failure);
  const std::string name = shown(folder.string(), 200);
  if (is.type() == fs::file_type::not_found)
    return fmt::format("there is no such directory: {}; make it (mkdir -p {}) or name another",
                       name, name);
  if (failure)
    return fmt::format("there is no such directory: {}: {}; name another place", name,
                       failure.message());
  return fmt::format("there is no such directory: {} is a file; name another place", name);
}

bool same_file(const fs::path& one, const fs::path& other) {
  std::error_code failure;
  if (fs::equivalent(one, other, failure) && !failure) return true;
  return fs::weakly_canonical(one, failure) == fs::weakly_canonical(other, failure) && !failure;
}

}  // namespace

std::optional<Error> no_place(const std::string& option, const fs::path& file) {
  std::error_code failure;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, failure)) return Error{place(option, file), no_directory(folder)};
  if (fs::is_directory(file, failure))
    return Error{place(option, file), "is a directory, expected a file to write"};
  const auto refused = [&] {
    return Error{place(option, file), std::string("cannot be written: ") + std::strerror(errno) +
                                          "; name another place"};
  };
  if (fs::exists(file, failure))
    return access(file.c_str(), W_OK) == 0 ? std::nullopt : std::optional(refused());
  if (fs::status(file, failure).type() == fs::file_type::none && failure)
    return Error{place(option, file),
                 "cannot be written: " + failure.message() + "; name another place"};
  const int made = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (made < 0 && errno == EEXIST) return std::nullopt;  // another process tries it, too
  if (made < 0) return refused();
  close(made);
  unlink(file.c_str());
  return std::nullopt;
}

std::optional<Error> onto_input(const std::string& option, const fs::path& file,
                                const std::vector<std::string>& read) {
  std::error_code failure;
  for (const std::string& each : read)
    if (!file.empty() && !each.empty() && fs::is_regular_file(each, failure) &&
        same_file(file, each))
      return Error{place(option, file), "is what is read, and would be lost; name another file"};
  return std::nullopt;
}

std::optional<Error> one_place(std::initializer_list<NamedOutput> outputs) {
  for (const NamedOutput& one : outputs)
    for (const NamedOutput& other : outputs) {
      if (&other == &one) break;
      if (!one.file.empty() && !other.file.empty() && same_file(one.file, other.file))
        return Error{place(one.option, one.file),
                     fmt::format("is what {} writes, too; name another file", other.option)};
    }
  return std::nullopt;
}

}  // namespace quintet
