// Opens a library of NVIDIA's when the program runs: programs start, and work, without.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace quintet::kernels::cuda {

// The functions of an open library, and which of those that were asked for it lacks.
class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}

  template <class Function>
  void find(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(address(name));
  }
  template <class Signature>
  void find(const char* name, std::function<Signature>& function) {
    if (void* const found = address(name)) function = reinterpret_cast<Signature*>(found);
  }
  // One that a library need not have: empty then.
  template <class Signature>
  void find_if_there(const char* name, std::function<Signature>& function) {
    if (void* const found = address_if_there(name)) function = reinterpret_cast<Signature*>(found);
  }
  const std::string& missing() const { return missing_; }  // "a, b"

 private:
  void* address(const char* name);
  void* address_if_there(const char* name) const;

  void* library_;
  std::string missing_;
};

struct OpenedPlace {
  std::string place;    // empty: none
  std::string why_not;  // in plain words
};

// The first place whose library opens and is not refused: refusal(symbols) says why ("lacks a"), or
// nothing. What opens is never closed again.
OpenedPlace open_first(const std::vector<std::string>& places,
                       const std::function<std::string(Symbols&)>& refusal);

// "13.0.2" of 130002: major * 10000 + minor * 100 + patch, as CUDA's libraries have it.
std::string library_version_text(std::size_t version);

struct OldestVersion {
  const char* name;  // "cuBLASLt"
  std::size_t version;
};

template <class Functions>
struct OpenedLibrary {
  std::optional<Functions> functions;
  std::string place;
  std::string why_not;
};

// find_all(symbols, functions); one of the functions is version().
template <class Functions, class FindAll>
OpenedLibrary<Functions> open_library(const std::vector<std::string>& places,
                                      const OldestVersion& oldest, FindAll find_all) {
  Functions functions;
  const OpenedPlace opened = open_first(places, [&](Symbols& symbols) -> std::string {
    find_all(symbols, functions);
    if (!symbols.missing().empty()) return "lacks " + symbols.missing();
    const std::size_t version = functions.version();
    if (version >= oldest.version) return {};
    return std::string("is ") + oldest.name + " " + library_version_text(version) + "; " +
           library_version_text(oldest.version) + " or later is needed";
  });
  if (opened.place.empty()) return {std::nullopt, {}, opened.why_not};
  return {functions, opened.place, {}};
}

}  // namespace quintet::kernels::cuda
