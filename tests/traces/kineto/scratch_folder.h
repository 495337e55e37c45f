// A folder that goes with the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace quintet::test {

struct ScratchFolder {
  std::filesystem::path path;
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "quintet_XXXXXX").string();
    path = ::mkdtemp(name.data()) != nullptr ? name : std::string{};
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path.empty()) std::filesystem::remove_all(path, ignored);
  }
  // By `tar`; 0: done.
  int unpack(const std::filesystem::path& archive) const {
    const std::string command =
        "tar -xzf '" + archive.string() + "' -C '" + path.string() + "' --no-same-owner";
    return std::system(command.c_str());
  }
};

}  // namespace quintet::test
