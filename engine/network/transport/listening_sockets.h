// The sockets that UCX's TCP transport listens on. It believes whoever begins with its magic
// number, which everyone can read in its source, and aborts the process where what follows makes no
// sense: so the door is shut when everyone who belongs here is in.
#pragma once

#include <vector>

namespace quintet::engine {

using ListeningSockets = std::vector<int>;  // descriptors of this process, which UCX owns

// All of this process that listen now, ascending; and those of `now` that `before` has not.
ListeningSockets listening_sockets();
ListeningSockets those_new_in(const ListeningSockets& now, const ListeningSockets& before);

// From here on the kernel drops attempts to connect to them, as if nobody were there; connections
// that stand are not touched.
void shut(const ListeningSockets& sockets);

}  // namespace quintet::engine
