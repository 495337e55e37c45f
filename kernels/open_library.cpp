#include "kernels/open_library.h"

#include <dlfcn.h>

#include <filesystem>

namespace quintet::kernels::cuda {

namespace {

// Why not; empty: it is open.
std::string try_to_open(const std::string& place,
                        const std::function<std::string(Symbols&)>& refusal) {
  void* const library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return dlerror();
  Symbols symbols(library);
  const std::string refused = refusal(symbols);
  return refused.empty() ? refused : place + " " + refused;
}

}  // namespace

void* Symbols::address_if_there(const char* name) const {
  return dlsym(library_, name);
}

void* Symbols::address(const char* name) {
  void* const found = address_if_there(name);
  if (found == nullptr) missing_ += (missing_.empty() ? "" : ", ") + std::string(name);
  return found;
}

OpenedPlace open_first(const std::vector<std::string>& places,
                       const std::function<std::string(Symbols&)>& refusal) {
  std::string reasons;
  for (const std::string& place : places) {
    std::error_code none;
    const bool only_a_name = place.find('/') == std::string::npos;
    if (!only_a_name && places.size() > 1 && !std::filesystem::exists(place, none)) continue;
    const std::string why_not = try_to_open(place, refusal);
    if (why_not.empty()) return {place, {}};
    reasons += (reasons.empty() ? "" : "; ") + why_not;
  }
  return {{}, reasons.empty() ? "there is no place to look in" : reasons};
}

std::string library_version_text(std::size_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100) + "." +
         std::to_string(version % 100);
}

}  // namespace quintet::kernels::cuda
