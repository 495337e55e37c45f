#include "engine/files/data/token_file.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/temporary_folder.h"

namespace quintet {
namespace {

using Ids = std::vector<TokenId>;

Ids ids_of(const TokenFile& file) {
  return {file.tokens().begin(), file.tokens().end()};
}

// data_common.py: np.int32 header of 256 with 20240520, 1, count; then the tokens as np.uint16.
std::string llm_c_bytes(std::int32_t magic, std::int32_t version, std::int32_t count,
                        const std::string& ids) {
  std::string bytes(1024, '\0');
  std::memcpy(bytes.data(), &magic, 4);
  std::memcpy(bytes.data() + 4, &version, 4);
  std::memcpy(bytes.data() + 8, &count, 4);
  return bytes + ids;
}

const std::string three_ids("\x01\x00\x50\xC3\xFF\xFF", 6);  // 1, 50000, 65535

struct Shard {
  TemporaryFolder folder;
  std::filesystem::path file = folder.path() / "shard.bin";
  explicit Shard(const std::string& bytes) { write_bytes(file, bytes); }

  std::string complaint(std::optional<TokenFormat> format = std::nullopt) const {
    const Result<TokenFile> tokens = TokenFile::open(file, format);
    if (tokens) return "accepted";
    const std::string text = tokens.error().text();
    return text.substr(text.find("shard.bin"));
  }
};

TEST(TokenFile, ReadsLlmcsShards) {
  const Shard shard(llm_c_bytes(20240520, 1, 3, three_ids));
  const Result<TokenFile> file = TokenFile::open(shard.file);
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(ids_of(*file), (Ids{1, 50000, 65535}));
}

TEST(TokenFile, ReadsNanoGptsShards) {
  const Shard shard(three_ids);
  const Result<TokenFile> file = TokenFile::open(shard.file);
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(ids_of(*file), (Ids{1, 50000, 65535}));
}

TEST(TokenFile, WhatIsWrittenIsReadInBothFormats) {
  const TemporaryFolder folder;
  const Ids ids{0, 1, 65535, 7};
  for (const TokenFormat format : {TokenFormat::llm_c, TokenFormat::nano_gpt}) {
    EXPECT_FALSE(write_token_file(folder.path() / "s", format, ids));
    const Result<TokenFile> file = TokenFile::open(folder.path() / "s", format);
    ASSERT_TRUE(file);
    EXPECT_EQ(ids_of(*file), ids);
  }
  EXPECT_FALSE(write_token_file(folder.path() / "s", TokenFormat::llm_c, ids));
  EXPECT_EQ(bytes_of(folder.path() / "s"),
            llm_c_bytes(20240520, 1, 4, std::string("\0\0\1\0\xFF\xFF\7\0", 8)));
}

TEST(TokenFile, AnIdOf17BitsIsNotWritten) {
  const TemporaryFolder folder;
  const std::optional<Error> error =
      write_token_file(folder.path() / "s", TokenFormat::nano_gpt, Ids{1, 65536});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->text(), (folder.path() / "s").string() +
                               ": token 1: 65536 does not fit the 16 bits of this format");
}

TEST(TokenFile, ADamagedShardIsRefusedWithItsPlace) {
  EXPECT_EQ(Shard(llm_c_bytes(20240520, 1, 4, three_ids)).complaint(),
            "shard.bin: byte 8: announces 4 tokens, but the file is 1030 bytes long");
  EXPECT_EQ(Shard(llm_c_bytes(20240520, 1, -1, three_ids)).complaint(),
            "shard.bin: byte 8: announces -1 tokens, but the file is 1030 bytes long");
  EXPECT_EQ(Shard(llm_c_bytes(20240520, 2, 3, three_ids)).complaint(),
            "shard.bin: byte 4: expected version 1, found 2");
  EXPECT_EQ(Shard(llm_c_bytes(20240801, 7, 3, three_ids)).complaint(),
            "shard.bin: holds llm.c's 32-bit ids (number 20240801); supported are 16-bit ids");
  EXPECT_EQ(Shard(llm_c_bytes(20240520, 1, 3, three_ids).substr(0, 100)).complaint(),
            "shard.bin: is 100 bytes long; the header of llm.c alone takes 1,024");
  EXPECT_EQ(Shard(three_ids).complaint(TokenFormat::llm_c),
            "shard.bin: is 6 bytes long; the header of llm.c alone takes 1,024");
  EXPECT_EQ(Shard("abc").complaint(),
            "shard.bin: is 3 bytes long, which is no whole number of 16-bit ids");
  EXPECT_EQ(Shard("").complaint(), "shard.bin: holds no token");
}

}  // namespace
}  // namespace quintet
