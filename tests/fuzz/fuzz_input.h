// What all fuzz targets share: the bytes as text, and what every reader promises.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "sim/base/result.h"

namespace quintet::fuzz {

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// An exception is what both libFuzzer and the bounded run report as a finding.
inline void require(bool kept, const std::string& promise) {
  if (!kept) throw std::logic_error("broken promise: " + promise);
}

template <class T>
void require_place(const Result<T>& result) {
  if (result) return;
  require(!result.error().where.empty(), "an error says where");
  require(!result.error().what.empty(), "an error says what");
  require(result.error().text().find('\n') == std::string::npos, "an error is one line");
  require(result.error().text().size() < 4000, "an error does not echo the file");
}

}  // namespace quintet::fuzz
