#include "engine/network/routes/route_silence.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>

namespace quintet::engine {

namespace {

tcp_info info_of(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size);
  return info;
}

}  // namespace

Milliseconds RouteSilence::look(int socket, Clock::time_point now) {
  const tcp_info info = info_of(socket);
  if (info.tcpi_unacked == 0) {
    since_ = std::nullopt;
    return Milliseconds(0);
  }
  if (!since_) since_ = now;
  const auto waited = std::chrono::duration_cast<Milliseconds>(now - *since_);
  return std::min(waited, Milliseconds(info.tcpi_last_ack_recv));
}

Milliseconds RouteSilence::suspicious(int socket, Milliseconds at_least) {
  const Milliseconds round_trip(info_of(socket).tcpi_rtt / 1000);
  return std::max(at_least, 4 * round_trip);
}

}  // namespace quintet::engine
