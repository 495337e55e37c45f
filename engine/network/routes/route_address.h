// Where a rank can be reached: a door for each of its network interfaces. Route i goes from the
// i-th interface here to the i-th there.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/launch/rendezvous/rendezvous_socket.h"
#include "sim/base/result.h"

namespace quintet::engine {

using Doors = std::vector<SocketAddress>;

// As they travel through the rendezvous; nothing: those bytes are none.
std::vector<std::byte> bytes_of(const Doors& doors);
std::optional<Doors> read_doors(std::span<const std::byte> bytes);

// A connection from that address of this host, begun: the socket is writable when it stands or has
// failed. Both are literals of one family.
Result<Descriptor> begin_to_connect(const std::string& from, const SocketAddress& to);

}  // namespace quintet::engine
