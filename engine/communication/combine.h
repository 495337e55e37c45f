// A collective among buffers of one address space.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "engine/communication/communication_backend.h"

namespace quintet::engine {

// One work per member, in order; all of one kind, type and size.
void combine(std::span<const CollectiveCall> members);

// What is wrong with a collective, or nothing: a kind or type that combine() does not do, members
// that disagree, a size that does not divide.
std::optional<std::string> disagreement(std::span<const CollectiveCall> members);

}  // namespace quintet::engine
