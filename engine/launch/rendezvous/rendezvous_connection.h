// A socket that speaks frames and never blocks: what cannot be written yet waits here.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/launch/rendezvous/rendezvous_frames.h"
#include "engine/launch/rendezvous/rendezvous_socket.h"

namespace quintet::engine {

enum class ConnectionState { open, closed };

class FrameConnection {
 public:
  FrameConnection(Descriptor socket, std::size_t frame_limit);

  int descriptor() const { return socket_.number(); }
  bool has_unread() const;  // here already, or closed
  bool has_unsent() const { return !unsent_.empty(); }
  void allow(std::size_t frame_limit) { reader_.allow(frame_limit); }

  ConnectionState
  read_some();  // a bounded amount; closed: by the peer, an error, or bytes that are no frame
  std::optional<Frame> next() { return reader_.next(); }
  bool broken() const { return reader_.broken(); }

  void send(FrameKind kind, std::span<const std::byte> body);
  ConnectionState flush();
  void finish();  // nothing more will be sent; what the peer still says can be read

 private:
  Descriptor socket_;
  FrameReader reader_;
  std::vector<std::byte> unsent_;
};

}  // namespace quintet::engine
