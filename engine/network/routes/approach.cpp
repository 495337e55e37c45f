#include "engine/network/routes/approach.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace quintet::engine {

Result<std::unique_ptr<Approach>> Approach::begin(const std::string& from, const SocketAddress& to,
                                                  const RouteHello& hello, std::string token) {
  const Result<Nonce> nonce = fresh_nonce();
  if (!nonce) return nonce.error();
  Result<Descriptor> socket = begin_to_connect(from, to);
  if (!socket) return socket.error();
  auto approach = std::make_unique<Approach>();
  approach->socket_ = *std::move(socket);
  approach->token_ = std::move(token);
  approach->handshake_.answers = *nonce;
  approach->handshake_.hello = hello;
  return approach;
}

Approach::Came Approach::fail(const std::string& how) {
  failure_ = how;
  return Came::to_nothing;
}

Approach::Came Approach::advance() {
  switch (state_) {
    case State::connecting:
      return advance_connection();
    case State::to_be_asked:
      return be_asked();
    case State::to_be_answered:
      return be_answered();
  }
  return Came::to_nothing;
}

Approach::Came Approach::advance_connection() {
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(descriptor(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return fail(system_error(error));
  sockaddr_storage peer{};
  size = sizeof peer;
  if (getpeername(descriptor(), reinterpret_cast<sockaddr*>(&peer), &size) != 0)
    return Came::not_yet;
  state_ = State::to_be_asked;
  return be_asked();
}

// about: all are here.
Approach::Came Approach::read_up_to(std::size_t size) {
  std::array<std::byte, 128> buffer;
  while (read_.size() < size) {
    const ssize_t count = recv(descriptor(), buffer.data(), size - read_.size(), MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Came::not_yet;
    if (count <= 0) return fail(count == 0 ? "it was closed there" : system_error(errno));
    read_.insert(read_.end(), buffer.begin(), buffer.begin() + count);
  }
  return Came::about;
}

Approach::Came Approach::be_asked() {
  if (const Came came = read_up_to(challenge_size); came != Came::about) return came;
  const std::optional<Nonce> asked = read_challenge(read_);
  if (!asked) return fail("what listens there is no rank");
  read_.clear();
  handshake_.asked = *asked;
  const std::vector<std::byte> hello = hello_bytes(token_, handshake_);
  if (send(descriptor(), hello.data(), hello.size(), MSG_NOSIGNAL | MSG_DONTWAIT) !=
      static_cast<ssize_t>(hello.size()))
    return fail(system_error(errno));
  state_ = State::to_be_answered;
  return be_answered();
}

Approach::Came Approach::be_answered() {
  if (const Came came = read_up_to(answer_size); came != Came::about) return came;
  const std::optional<std::uint64_t> last = read_answer(token_, handshake_, read_);
  if (!last) return fail("what listens there does not know this job's token");
  last_ = *last;
  return Came::about;
}

}  // namespace quintet::engine
