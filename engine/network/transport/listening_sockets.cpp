#include "engine/network/transport/listening_sockets.h"

#include <linux/filter.h>
#include <sys/socket.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>

namespace quintet::engine {

namespace {

bool listens(int descriptor) {
  int answer = 0;
  socklen_t size = sizeof answer;
  return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &answer, &size) == 0 && answer != 0;
}

}  // namespace

ListeningSockets listening_sockets() {
  ListeningSockets found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    const int descriptor = std::stoi(entry.path().filename().string());
    if (listens(descriptor)) found.push_back(descriptor);
  }
  std::sort(found.begin(), found.end());
  return found;
}

ListeningSockets those_new_in(const ListeningSockets& now, const ListeningSockets& before) {
  ListeningSockets added;
  std::set_difference(now.begin(), now.end(), before.begin(), before.end(),
                      std::back_inserter(added));
  return added;
}

// A filter that keeps zero bytes of every packet. Closing the socket, or ending to listen on it,
// would leave UCX with an event that never ends.
void shut(const ListeningSockets& sockets) {
  sock_filter keep_nothing{BPF_RET | BPF_K, 0, 0, 0};
  const sock_fprog program{1, &keep_nothing};
  for (const int descriptor : sockets)
    setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

}  // namespace quintet::engine
