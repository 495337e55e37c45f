#include "kernels/library_places.h"

#include <algorithm>
#include <filesystem>

namespace quintet::kernels::cuda {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders_in(const fs::path& parent) {
  std::vector<fs::path> folders;
  std::error_code wrong;
  for (fs::directory_iterator entry(parent, wrong), end; !wrong && entry != end;
       entry.increment(wrong))
    if (entry->is_directory(wrong)) folders.push_back(entry->path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

// This adds what the folders lib/pythonX/site-packages (dist-packages) under `prefix` have: CUDA
// 13's wheels keep most libraries in nvidia/cu13, others each in its own.
void add_python_packages(std::vector<std::string>& places, const fs::path& prefix,
                         const LibraryName& name) {
  std::error_code none;
  for (const fs::path& python : folders_in(prefix / "lib"))
    for (const char* const packages : {"site-packages", "dist-packages"})
      for (const std::string& folder : {std::string("cu13"), std::string(name.package)}) {
        const fs::path file = python / packages / "nvidia" / folder / "lib" / name.file;
        if (fs::exists(file, none)) places.push_back(file);
      }
}

}  // namespace

std::vector<std::string> library_places(const LibraryName& name,
                                        const EnvironmentVariables& variables) {
  if (const auto named = variables(name.variable)) return {*named};
  std::vector<std::string> places;
  const auto add_toolkit = [&](const fs::path& toolkit) {
    for (const char* const folder : {"lib64", "lib"})
      places.push_back(toolkit / folder / name.file);
  };
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto toolkit = variables(variable)) add_toolkit(*toolkit);
  add_toolkit("/usr/local/cuda");
  places.push_back(name.file);
  if (const auto prefix = variables("VIRTUAL_ENV")) add_python_packages(places, *prefix, name);
  if (const auto home = variables("HOME"))
    add_python_packages(places, fs::path(*home) / ".local", name);
  for (const char* const prefix : {"/usr/local", "/usr"}) add_python_packages(places, prefix, name);
  return places;
}

}  // namespace quintet::kernels::cuda
