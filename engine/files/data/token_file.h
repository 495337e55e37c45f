// Token shards as two trainers write them, mapped into memory: 16-bit ids, little endian.
//   llm.c   1,024 bytes of header (int32: 20240520, version 1, number of tokens, zeros), then ids
//           (karpathy/llm.c, dev/data/data_common.py, write_datafile)
//   nanoGPT ids and nothing else (karpathy/nanoGPT, data/openwebtext/prepare.py)
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "engine/files/data/byte_pair_encoder.h"
#include "engine/files/storage/mapped_file.h"
#include "sim/base/result.h"

namespace quintet {

enum class TokenFormat { llm_c, nano_gpt };

class TokenFile {
 public:
  // Without a format: llm.c when the file begins with its number, else nanoGPT.
  static Result<TokenFile> open(const std::filesystem::path& file,
                                std::optional<TokenFormat> format = std::nullopt);

  std::span<const std::uint16_t> tokens() const { return tokens_; }
  const std::string& name() const { return name_; }

 private:
  TokenFile(MappedFile file, std::string name, std::span<const std::uint16_t> tokens)
      : file_(std::move(file)), name_(std::move(name)), tokens_(tokens) {}

  MappedFile file_;
  std::string name_;
  std::span<const std::uint16_t> tokens_;
};

// The ids in the bytes of such a file, which start on an even address.
Result<std::span<const std::uint16_t>> parse_token_file(std::span<const std::byte> bytes,
                                                        std::optional<TokenFormat> format,
                                                        const std::string& where);

// Refuses ids that do not fit 16 bits.
std::optional<Error> write_token_file(const std::filesystem::path& file, TokenFormat format,
                                      std::span<const TokenId> tokens);

}  // namespace quintet
