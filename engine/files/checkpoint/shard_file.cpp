#include "engine/files/checkpoint/shard_file.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cassert>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "engine/files/checkpoint/piece.h"
#include "engine/files/storage/durable_file.h"
#include "engine/files/storage/hash64.h"
#include "sim/base/shown_text.h"

namespace quintet {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

constexpr std::string_view magic = "QNTTSHRD";
constexpr std::size_t start_bytes = 24;  // magic, length, checksum
constexpr std::size_t alignment = 64;    // of a cache line
constexpr std::uint64_t longest_header = 1'000'000'000;

std::size_t aligned(std::size_t byte) {
  return (byte + alignment - 1) / alignment * alignment;
}

std::uint64_t number_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

std::string number_bytes(std::uint64_t number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

// Where pieces begin counts from the start of the data, so that the header's length does not depend
// on itself; nor does it on checksums, which all have as many digits.
std::vector<StoredPiece> placed(const std::vector<Piece>& pieces) {
  std::vector<StoredPiece> stored;
  std::size_t begin = 0;
  for (const Piece& piece : pieces) {
    stored.push_back({piece, begin, 0});
    begin = aligned(begin + bytes_of(piece));
  }
  return stored;
}

struct Header {
  std::string start;  // of the file, padding left out
  std::uint64_t checksum = 0;
};

Header header_of(const std::vector<StoredPiece>& pieces) {
  const std::string text = piece_list_text(pieces);
  const std::uint64_t checksum = hash64(std::string_view(text));
  return {std::string(magic) + number_bytes(text.size()) + number_bytes(checksum) + text, checksum};
}

std::optional<Error> write_padding(DurableFile& out, std::size_t written) {
  constexpr std::array<std::byte, alignment> zeros{};
  return out.write(std::span(zeros).first(aligned(written) - written));
}

// Their checksums are known afterwards.
std::optional<Error> write_pieces(DurableFile& out, ShardSource& source,
                                  std::vector<StoredPiece>& pieces) {
  std::vector<std::byte> content;
  for (std::size_t number = 0; number < pieces.size(); ++number) {
    content.resize(bytes_of(pieces[number].piece));
    source.put_content(number, content);
    pieces[number].checksum = hash64(content);
    if (auto error = out.write(content)) return error;
    if (auto error = write_padding(out, content.size())) return error;
  }
  return std::nullopt;
}

// The header keeps its place until its checksums are known. Nobody reads the file before it is
// finished.
Result<Header> write_all(DurableFile& out, ShardSource& source) {
  std::vector<StoredPiece> pieces = placed(source.pieces());
  const std::string unknown = header_of(pieces).start;
  if (auto error = out.write(unknown)) return *error;
  if (auto error = write_padding(out, unknown.size())) return *error;
  if (auto error = write_pieces(out, source, pieces)) return *error;
  Header header = header_of(pieces);
  assert(header.start.size() == unknown.size());
  if (auto error = out.write_again(header.start)) return *error;
  if (auto error = out.finish()) return *error;
  return header;
}

std::optional<Error> problem_with_start(std::span<const std::byte> file, const std::string& where) {
  if (file.size() < start_bytes || std::memcmp(file.data(), magic.data(), magic.size()) != 0)
    return Error{where, "does not begin as a shard of a checkpoint does, with \"QNTTSHRD\""};
  const std::uint64_t length = number_at(file, 8);
  if (length > longest_header || length > file.size() - start_bytes)
    return Error{where + ": byte 8",
                 fmt::format("announces a header of {} bytes, the file has {} left", length,
                             file.size() - start_bytes)};
  const std::uint64_t found = hash64(file.subspan(start_bytes, static_cast<std::size_t>(length)));
  if (found != number_at(file, 16))
    return Error{where, "the header is damaged: its checksum is " + hexadecimal(found) +
                            ", written was " + hexadecimal(number_at(file, 16))};
  return std::nullopt;
}

std::optional<Error> place_in_file(StoredPiece& stored, std::size_t data, std::size_t file_size,
                                   const std::string& where) {
  const std::size_t left = file_size - data;
  const std::size_t size = bytes_of(stored.piece);
  if (stored.begin > left || size > left - stored.begin)
    return Error{where + ": " + in_quotes(stored.piece.tensor),
                 fmt::format("takes {} bytes from {} on, but the data ends at {}", size,
                             stored.begin, left)};
  stored.begin += data;
  return std::nullopt;
}

}  // namespace

std::string state_name(StateKind kind, const std::string& tensor) {
  constexpr std::array<std::string_view, 7> names{
      "weight",           "master_weight", "first_moment",  "second_moment",
      "replica_momentum", "outer_anchor",  "outer_velocity"};
  return std::string(names[static_cast<std::size_t>(kind)]) + "/" + tensor;
}

std::string name_of_replica(int replica, const std::string& name) {
  return replica == 0 ? name : fmt::format("replica-{}/{}", replica, name);
}

std::size_t bytes_of(const Piece& piece) {
  return static_cast<std::size_t>(elements(piece.box.shape)) * size_of(piece.type);
}

std::string shard_name(int writer) {
  char name[32];
  std::snprintf(name, sizeof name, "rank-%05d.shard", writer);
  return name;
}

Result<ShardSummary> write_shard(const std::filesystem::path& file, ShardSource& source) {
  if (auto error = source.take_copies()) return *error;
  Result<DurableFile> out = DurableFile::create(file);
  if (!out) return out.error();
  const Result<Header> header = write_all(*out, source);
  if (!header) return header.error();
  std::size_t size = aligned(header->start.size());
  for (const Piece& piece : source.pieces()) size += aligned(bytes_of(piece));
  return ShardSummary{file.filename().string(), size, header->checksum};
}

Result<ShardHeader> parse_shard(std::span<const std::byte> file, const std::string& where) {
  if (const std::optional<Error> problem = problem_with_start(file, where)) return *problem;
  const auto length = static_cast<std::size_t>(number_at(file, 8));
  const std::string text(reinterpret_cast<const char*>(file.data()) + start_bytes, length);
  Result<std::vector<StoredPiece>> pieces = parse_piece_list(text, where);
  if (!pieces) return pieces.error();
  const std::size_t data = aligned(start_bytes + length);
  if (data > file.size())
    return Error{where, fmt::format("ends at byte {}, before its data, which begins at {}",
                                    file.size(), data)};
  for (StoredPiece& piece : *pieces)
    if (auto problem = place_in_file(piece, data, file.size(), where)) return *problem;
  return ShardHeader{std::move(*pieces), number_at(file, 16)};
}

Result<ShardFile> ShardFile::open(const std::filesystem::path& folder,
                                  const ShardSummary& summary) {
  Result<MappedFile> mapped = MappedFile::open(folder / summary.file);
  if (!mapped) return mapped.error();
  const std::string name = shown((folder / summary.file).string(), 1000);
  if (mapped->bytes().size() != summary.size)
    return Error{name, fmt::format("is {} bytes long, written were {}", mapped->bytes().size(),
                                   summary.size)};
  Result<ShardHeader> header = parse_shard(mapped->bytes(), name);
  if (!header) return header.error();
  if (header->checksum != summary.header_checksum)
    return Error{name,
                 "is another file than the manifest tells of: the checksum of its header is " +
                     hexadecimal(header->checksum) + ", expected " +
                     hexadecimal(summary.header_checksum)};
  return ShardFile(std::move(*mapped), std::move(header->pieces), name);
}

std::optional<Error> ShardFile::check(const StoredPiece& piece) const {
  const std::uint64_t found = hash64(data(piece));
  if (found == piece.checksum) return std::nullopt;
  return Error{name_ + ": " + in_quotes(piece.piece.tensor),
               "is damaged: its checksum is " + hexadecimal(found) + ", written was " +
                   hexadecimal(piece.checksum)};
}

}  // namespace quintet
