#include "traces/perfetto/packet_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace quintet::perfetto_trace {
namespace {

constexpr int at_end = -1, has_failed = -2;
constexpr int packet_tag = 0x0A;  // field 1, with a length
constexpr std::uint64_t longest = 256 << 20;

}  // namespace

PacketStream::PacketStream(std::string where, Read read)
    : where_(std::move(where)), read_(std::move(read)), buffer_(1 << 16, '\0') {}

std::string PacketStream::place() const {
  return fmt::format("{}: packet {} at byte {}", where_, number_, begin_);
}

int PacketStream::byte() {
  if (at_ == filled_) {
    const Result<std::size_t> count = read_(buffer_);
    at_ = 0, filled_ = count ? *count : 0;
    if (!count) return failed_ = count.error(), has_failed;
    if (filled_ == 0) return at_end;
  }
  ++taken_;
  return static_cast<unsigned char>(buffer_[at_++]);
}

Result<std::uint64_t> PacketStream::length() {
  std::uint64_t length = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    const int part = byte();
    if (part == has_failed) return failed_;
    if (part == at_end) return Error{place(), "is cut off; record or copy the trace again"};
    length |= static_cast<std::uint64_t>(part & 0x7F) << shift;
    if (part < 0x80) {
      if (length <= longest) return length;
      break;
    }
  }
  return Error{place(), "says that it is longer than 256 MiB; expected a packet of Perfetto's"};
}

Result<bool> PacketStream::take(std::string& packet, std::uint64_t length) {
  packet.clear();
  while (packet.size() < length) {
    if (at_ == filled_) {
      const int first = byte();
      if (first == has_failed) return failed_;
      if (first == at_end)
        return Error{place(), fmt::format("is cut off: it has {} bytes of {}; record or copy the "
                                          "trace again",
                                          packet.size(), length)};
      --at_, --taken_;
    }
    const std::size_t count = std::min<std::size_t>(length - packet.size(), filled_ - at_);
    packet.append(buffer_, at_, count);
    at_ += count, taken_ += count;
  }
  return true;
}

Result<bool> PacketStream::next(std::string& packet) {
  begin_ = taken_, ++number_;
  const int tag = byte();
  if (tag == has_failed) return failed_;
  if (tag == at_end) return false;
  if (tag != packet_tag)
    return Error{place(), fmt::format("begins with byte 0x{:02x}; expected 0x0a, as all packets of "
                                      "a Perfetto trace do",
                                      tag)};
  const Result<std::uint64_t> size = length();
  if (!size) return size.error();
  return take(packet, *size);
}

namespace {

// None: it is cut off, or longer than a varint may be (then `wrong`).
std::optional<std::uint64_t> varint(std::string_view& bytes, bool& wrong) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (bytes.empty()) return std::nullopt;
    const auto part = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    if (shift < 64) value |= static_cast<std::uint64_t>(part & 0x7F) << shift;
    if (part < 0x80) return value;
  }
  wrong = true;
  return std::nullopt;
}

// The fields of a packet fill it, as far as it is there.
bool are_fields(std::string_view bytes, bool whole) {
  bool wrong = false;
  while (!bytes.empty()) {
    const auto tag = varint(bytes, wrong);
    if (!tag) return !wrong && !whole;
    if (*tag >> 3 == 0 || *tag >> 3 > 2000) return false;
    std::uint64_t length = 0;
    switch (*tag & 7) {
      case 0:
        if (!varint(bytes, wrong)) return !wrong && !whole;
        continue;
      case 1:
        length = 8;
        break;
      case 2: {
        const auto size = varint(bytes, wrong);
        if (!size) return !wrong && !whole;
        length = *size;
        break;
      }
      case 5:
        length = 4;
        break;
      default:
        return false;
    }
    if (length > bytes.size()) return !whole;
    bytes.remove_prefix(length);
  }
  return true;
}

}  // namespace

bool are_packets(std::string_view beginning) {
  // A text that begins with an empty line may look like a packet that is cut off.
  const auto is_text = [](char letter) {
    return (letter >= ' ' && letter <= '~') || letter == '\n' || letter == '\r' || letter == '\t';
  };
  if (std::all_of(beginning.begin(), beginning.end(), is_text)) return false;
  bool wrong = false;
  for (bool first = true; !beginning.empty(); first = false) {
    if (beginning.front() != packet_tag) return false;
    beginning.remove_prefix(1);
    const auto length = varint(beginning, wrong);
    if (!length) return !wrong && !first;
    if (*length > longest) return false;
    const bool whole = *length <= beginning.size();
    if (!are_fields(beginning.substr(0, *length), whole)) return false;
    if (!whole) return true;
    beginning.remove_prefix(*length);
  }
  return true;
}

}  // namespace quintet::perfetto_trace
