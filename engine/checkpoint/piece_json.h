// Pieces in a shard's header. Only .cpp files include this (it brings nlohmann/json in).
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "engine/checkpoint/shard_file.h"
#include "sim/result.h"

namespace quintet {

nlohmann::ordered_json piece_json(const StoredPiece& piece);
// Sizes are checked against each other, not against the file.
Result<StoredPiece> parse_piece(const nlohmann::json& json, const std::string& where);

}  // namespace quintet
