// The header of a shard: its pieces, in JSON.
#pragma once

#include <string>
#include <vector>

#include "engine/files/checkpoint/shard_file.h"
#include "sim/base/result.h"

namespace quintet {

std::string piece_list_text(const std::vector<StoredPiece>& pieces);
// Every piece lies in its tensor; whether it lies in the file is for the caller to see.
Result<std::vector<StoredPiece>> parse_piece_list(const std::string& text,
                                                  const std::string& where);

}  // namespace quintet
