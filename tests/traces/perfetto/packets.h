// Perfetto's packets byte by byte, by the numbers in google/perfetto and without the code under
// test.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quintet {

inline std::string varint(std::uint64_t value) {
  std::string made;
  for (; value >= 0x80; value >>= 7) made += static_cast<char>(value | 0x80);
  return made + static_cast<char>(value);
}
inline std::string number(int field, std::uint64_t value) {
  return varint(static_cast<std::uint64_t>(field) << 3) + varint(value);
}
inline std::string bytes(int field, std::string_view content) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(content.size()) +
         std::string(content);
}
inline std::string fixed(int field, std::uint64_t value) {
  std::string made = varint(static_cast<std::uint64_t>(field) << 3 | 1);
  for (int i = 0; i < 8; ++i) made += static_cast<char>(value >> (8 * i));
  return made;
}

inline std::string packet(const std::string& content) {
  return bytes(1, content);
}

// TrackDescriptors.
inline std::string process_track(std::uint64_t uuid, int pid, std::string_view name) {
  return packet(bytes(
      60, number(1, uuid) + bytes(3, number(1, static_cast<std::uint64_t>(pid)) + bytes(6, name))));
}
inline std::string thread_track(std::uint64_t uuid, int pid, int tid, std::string_view name) {
  return packet(bytes(
      60,
      number(1, uuid) + bytes(4, number(1, static_cast<std::uint64_t>(pid)) +
                                     number(2, static_cast<std::uint64_t>(tid)) + bytes(5, name))));
}
inline std::string child_track(std::uint64_t uuid, std::uint64_t parent, std::string_view name) {
  return packet(bytes(60, number(1, uuid) + bytes(2, name) + number(5, parent)));
}

// TrackEvents: type 1 begins, 2 ends, 3 is an instant, 4 a counter's value.
inline std::string event(std::uint64_t time, std::uint64_t track, int type,
                         const std::string& rest = "", const std::string& of_packet = "") {
  return packet(number(8, time) + of_packet +
                bytes(11, number(9, static_cast<std::uint64_t>(type)) + number(11, track) + rest));
}
inline std::string begin(std::uint64_t time, std::uint64_t track, std::string_view name,
                         const std::string& rest = "") {
  return event(time, track, 1, bytes(23, name) + rest);
}
inline std::string end(std::uint64_t time, std::uint64_t track) {
  return event(time, track, 2);
}
inline std::string category(std::string_view name) {
  return bytes(22, name);
}
inline std::string note(std::string_view name, std::int64_t value) {
  return bytes(4, bytes(10, name) + number(4, static_cast<std::uint64_t>(value)));
}
inline std::string note(std::string_view name, std::string_view value) {
  return bytes(4, bytes(10, name) + bytes(6, value));
}

}  // namespace quintet
