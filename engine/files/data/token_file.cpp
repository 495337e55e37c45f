#include "engine/files/data/token_file.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/files/storage/durable_file.h"
#include "sim/base/shown_text.h"

namespace quintet {
namespace {

static_assert(std::endian::native == std::endian::little, "ids are read as they lie");

constexpr std::int32_t magic = 20240520, version = 1;
// llm.c's shards for Llama 3, of 32-bit ids.
constexpr std::int32_t magic_of_32_bit_ids = 20240801;
constexpr std::size_t header_numbers = 256, header_bytes = 4 * header_numbers;

std::int32_t number_at(std::span<const std::byte> bytes, std::size_t index) {
  std::int32_t number = 0;
  if (bytes.size() >= 4 * index + 4) std::memcpy(&number, bytes.data() + 4 * index, 4);
  return number;
}

std::optional<Error> problem_with_header(std::span<const std::byte> bytes,
                                         const std::string& where) {
  if (bytes.size() < header_bytes)
    return Error{where, fmt::format("is {} bytes long; the header of llm.c alone takes 1,024",
                                    bytes.size())};
  if (number_at(bytes, 0) != magic)
    return Error{
        where + ": byte 0",
        fmt::format(
            "expected the number 20240520 with which llm.c's shards of 16-bit ids begin, found {}",
            number_at(bytes, 0))};
  if (number_at(bytes, 1) != version)
    return Error{where + ": byte 4",
                 fmt::format("expected version 1, found {}", number_at(bytes, 1))};
  const std::int64_t announced = number_at(bytes, 2);
  const std::size_t held = (bytes.size() - header_bytes) / 2;
  if (announced < 0 || static_cast<std::size_t>(announced) != held || bytes.size() % 2 != 0)
    return Error{
        where + ": byte 8",
        fmt::format("announces {} tokens, but the file is {} bytes long", announced, bytes.size())};
  return std::nullopt;
}

std::vector<std::byte> header_of(std::size_t tokens) {
  std::array<std::int32_t, header_numbers> numbers{magic, version,
                                                   static_cast<std::int32_t>(tokens)};
  std::vector<std::byte> bytes(header_bytes);
  std::memcpy(bytes.data(), numbers.data(), header_bytes);
  return bytes;
}

}  // namespace

Result<std::span<const std::uint16_t>> parse_token_file(std::span<const std::byte> bytes,
                                                        std::optional<TokenFormat> format,
                                                        const std::string& where) {
  assert(reinterpret_cast<std::uintptr_t>(bytes.data()) % 2 == 0);
  const std::int32_t first = number_at(bytes, 0);
  if (!format && first == magic_of_32_bit_ids)
    return Error{where, "holds llm.c's 32-bit ids (number 20240801); supported are 16-bit ids"};
  const bool has_header = format ? *format == TokenFormat::llm_c : first == magic;
  if (has_header) {
    if (const std::optional<Error> problem = problem_with_header(bytes, where)) return *problem;
    bytes = bytes.subspan(header_bytes);
  }
  if (bytes.empty()) return Error{where, "holds no token"};
  if (bytes.size() % 2 != 0)
    return Error{where, fmt::format("is {} bytes long, which is no whole number of 16-bit ids",
                                    bytes.size())};
  return std::span(reinterpret_cast<const std::uint16_t*>(bytes.data()), bytes.size() / 2);
}

Result<TokenFile> TokenFile::open(const std::filesystem::path& file,
                                  std::optional<TokenFormat> format) {
  Result<MappedFile> mapped = MappedFile::open(file);
  if (!mapped) return mapped.error();
  const std::string name = shown(file.string(), 1000);
  const Result<std::span<const std::uint16_t>> tokens =
      parse_token_file(mapped->bytes(), format, name);
  if (!tokens) return tokens.error();
  return TokenFile(std::move(*mapped), name, *tokens);
}

std::optional<Error> write_token_file(const std::filesystem::path& file, TokenFormat format,
                                      std::span<const TokenId> tokens) {
  std::vector<std::uint16_t> ids;
  ids.reserve(tokens.size());
  for (const TokenId token : tokens) {
    if (token < 0 || token > std::numeric_limits<std::uint16_t>::max())
      return Error{fmt::format("{}: token {}", shown(file.string(), 1000), ids.size()),
                   fmt::format("{} does not fit the 16 bits of this format", token)};
    ids.push_back(static_cast<std::uint16_t>(token));
  }
  if (format == TokenFormat::llm_c && ids.size() > std::numeric_limits<std::int32_t>::max())
    return Error{shown(file.string(), 1000), "llm.c's header counts at most 2,147,483,647 tokens"};
  Result<DurableFile> out = DurableFile::create(file);
  if (!out) return out.error();
  if (format == TokenFormat::llm_c)
    if (const std::optional<Error> error = out->write(header_of(ids.size()))) return error;
  if (const std::optional<Error> error = out->write(std::as_bytes(std::span(ids)))) return error;
  return out->finish();
}

}  // namespace quintet
