// Connections of someone who has no business here.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/launch/rendezvous/rendezvous_socket.h"

namespace quintet::engine {

// Connects and says nothing; an empty descriptor where that is refused.
Descriptor half_open(const SocketAddress& address);

// Connects, sends the bytes, and waits until the other side closes: how long that took at most.
enum class Ending { closed, still_open };
Ending says(const SocketAddress& address, std::span<const std::byte> bytes, Milliseconds within);

std::vector<std::byte> garbage(std::size_t size, unsigned seed);

}  // namespace quintet::engine
