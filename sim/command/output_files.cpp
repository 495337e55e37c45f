#include "sim/command/output_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "sim/packing/packing.h"

namespace quintet {
namespace {

namespace fs = std::filesystem;

// A plan may be called anything; in a file name a slash would be a folder.
std::string in_file_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char each) { return each == '/' || each < ' '; }, '-');
  return name;
}

fs::path trace_file(const fs::path& given, const std::string& plan) {
  const bool packed = packing_of(given) != Packing::none;
  const fs::path plain = packed ? given.stem() : given.filename();  // "step.json" of "step.json.gz"
  fs::path file = given;
  return file.replace_filename(plain.stem().string() + "-" + in_file_name(plan) +
                               plain.extension().string() +
                               (packed ? given.extension().string() : ""));
}

}  // namespace

std::optional<Error> write_file(const std::filesystem::path& file, const std::string& text) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (out) return std::nullopt;
  const char* const why = errno != 0 ? std::strerror(errno) : "the stream failed";
  return Error{file.string(), std::string("cannot be written: ") + why};
}

Result<std::vector<fs::path>> trace_files(const std::string& given,
                                          const std::vector<PlanInput>& plans) {
  std::vector<fs::path> files;
  if (given.empty()) return files;
  if (const auto error = no_place("--trace", given)) return *error;
  for (const PlanInput& plan : plans) {
    const fs::path file = plans.size() == 1 ? fs::path(given) : trace_file(given, plan.plan.name);
    const auto other = std::find(files.begin(), files.end(), file);
    if (other != files.end())
      return Error{plan.file + ": name",
                   "its trace would overwrite that of " +
                       plans[static_cast<std::size_t>(other - files.begin())].file + ", " +
                       file.string() + "; give one of them another name"};
    files.push_back(file);
  }
  return files;
}

}  // namespace quintet
