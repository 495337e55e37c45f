// Names of kernels and files in traces hold bytes that JSON does not allow.
#pragma once

#include <cstddef>
#include <span>

namespace quintet::json_stream {

// Puts "?" in the place of each byte that is no UTF-8 and a space in that of a control character in
// a string. Returns how many.
std::size_t make_valid(std::span<char> json);

}  // namespace quintet::json_stream
