#include "sim/picture/picture_files.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "sim/base/output_place.h"

namespace quintet {

namespace {

namespace fs = std::filesystem;

std::optional<Error> write(const fs::path& file, const std::string& text) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (out) return std::nullopt;
  return Error{file.string(), std::string("cannot be written: ") +
                                  (errno != 0 ? std::strerror(errno) : "the stream failed")};
}

std::optional<Error> no_folder(const std::string& folder) {
  const std::string where = "--svg " + folder;
  std::error_code failure;
  fs::create_directories(folder, failure);
  std::error_code ignored;
  if (fs::exists(folder, ignored) && !fs::is_directory(folder, ignored))
    return Error{where, "is a file, expected a folder"};
  const std::string remedy = "; name another place";
  if (failure) return Error{where, "the folder cannot be made: " + failure.message() + remedy};
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    return Error{where,
                 std::string("the folder cannot be written: ") + std::strerror(errno) + remedy};
  return std::nullopt;
}

}  // namespace

std::optional<Error> no_place_for(const PictureFiles& files) {
  if (!files.html.empty())
    if (auto error = no_place("--html", files.html)) return error;
  return files.svg.empty() ? std::nullopt : no_folder(files.svg);
}

std::optional<Error> write_pictures(const PictureFiles& files, const Page& page) {
  if (!files.html.empty())
    if (auto error = write(files.html, page_html(page))) return error;
  if (files.svg.empty()) return std::nullopt;
  for (const Picture& picture : page.pictures)
    if (auto error = write(fs::path(files.svg) / (picture.name + ".svg"), svg_file(picture)))
      return error;
  return std::nullopt;
}

}  // namespace quintet
