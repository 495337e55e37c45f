// A collective among buffers of one address space.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "engine/communication/communication_backend.h"

namespace quintet::engine {

// One of as many equal shares of the whole as there are members, each by itself: shares touch no
// element that another one writes. One work per member, in order; all of one kind, type and size.
void combine_share(std::span<const CollectiveCall> members, std::size_t share);

// What is wrong with a collective, or nothing: a kind or type that no share is combined of, members
// that disagree, a size that does not divide.
std::optional<std::string> disagreement(std::span<const CollectiveCall> members);

}  // namespace quintet::engine
