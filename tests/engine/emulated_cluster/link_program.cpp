// What tests and benchmarks run inside the emulated cluster: one TCP connection. Times are of this
// process.
//   link_program take ADDRESS PORT            accepts one connection, reads it to the end; prints
//                                             bytes and the seconds from first to last
//   link_program give ADDRESS PORT BYTES      connects (again until someone listens) and writes
//   link_program echo ADDRESS PORT BYTES      accepts one connection, sends back messages of BYTES
//   link_program ask ADDRESS PORT BYTES COUNT sends COUNT messages, each after the answer to the
//                                             last; prints the least and the median seconds
//   link_program hops ADDRESS                prints how many links away it is
//   link_program reach ADDRESS PORT          whether someone listens there, within a second
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

sockaddr_in address_from(char** words) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, words[2], &address.sin_addr);
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(words[3])));
  return address;
}

int accepted(char** words) {
  const sockaddr_in address = address_from(words);
  const int listening = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    fail("bind");
  if (listen(listening, 1) != 0) fail("listen");
  return accept(listening, nullptr, nullptr);
}

int connected(char** words) {
  const sockaddr_in address = address_from(words);
  const auto start = Clock::now();
  while (seconds_since(start) < 20) {
    const int made = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      const int on = 1;
      setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      return made;
    }
    close(made);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  fail("connect");
}

bool write_all(int socket, const std::vector<char>& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t size = write(socket, bytes.data() + done, bytes.size() - done);
    if (size <= 0) return false;
    done += static_cast<std::size_t>(size);
  }
  return true;
}

bool read_all(int socket, std::vector<char>& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t size = read(socket, bytes.data() + done, bytes.size() - done);
    if (size <= 0) return false;
    done += static_cast<std::size_t>(size);
  }
  return true;
}

int take(int socket) {
  std::vector<char> buffer(1 << 18);
  ssize_t size = read(socket, buffer.data(), buffer.size());
  const auto start = Clock::now();
  double bytes = 0;
  for (; size > 0; size = read(socket, buffer.data(), buffer.size()))
    bytes += static_cast<double>(size);
  std::printf("%.0f %.9f\n", bytes, seconds_since(start));
  return 0;
}

int give(int socket, std::size_t bytes) {
  const std::vector<char> part(std::min<std::size_t>(bytes, 1 << 18), 'x');
  for (std::size_t done = 0; done < bytes; done += part.size())
    if (!write_all(socket, part)) return 1;
  return 0;
}

int echo(int socket, std::size_t size) {
  std::vector<char> message(size);
  while (read_all(socket, message))
    if (!write_all(socket, message)) return 1;
  return 0;
}

int ask(int socket, std::size_t size, int count) {
  std::vector<char> message(size, 'x');
  std::vector<double> times;
  for (int i = 0; i < count; ++i) {
    const auto start = Clock::now();
    if (!write_all(socket, message) || !read_all(socket, message)) return 1;
    times.push_back(seconds_since(start));
  }
  std::sort(times.begin(), times.end());
  std::printf("%.9f %.9f\n", times.front(), times[times.size() / 2]);
  return 0;
}

// A datagram for a port where nobody listens is answered so by its destination; one that was
// forwarded too often, otherwise.
int hops(const char* address) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(9);
  inet_pton(AF_INET, address, &to.sin_addr);
  for (int links = 1; links < 64; ++links) {
    const int probe = socket(AF_INET, SOCK_DGRAM, 0);
    setsockopt(probe, IPPROTO_IP, IP_TTL, &links, sizeof links);
    const int on = 1;
    setsockopt(probe, IPPROTO_IP, IP_RECVERR, &on, sizeof on);
    if (connect(probe, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) fail("connect");
    if (write(probe, "x", 1) != 1) fail("write");
    char answer = 0;
    const ssize_t size = recv(probe, &answer, 1, 0);
    const int error = size < 0 ? errno : 0;
    close(probe);
    if (error == EHOSTUNREACH) continue;
    if (error != ECONNREFUSED) fail("probe");
    std::printf("%d\n", links);
    return 0;
  }
  return 1;
}

int reach(char** words) {
  const sockaddr_in address = address_from(words);
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
      errno != EINPROGRESS)
    fail("connect");
  pollfd ready{made, POLLOUT, 0};
  const bool answered = poll(&ready, 1, 1000) == 1 && (ready.revents & POLLERR) == 0;
  std::printf(answered ? "yes\n" : "no\n");
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  const std::string what = words[1];
  if (what == "hops") return hops(words[2]);
  if (count < 4) return 2;
  if (what == "reach") return reach(words);
  const auto bytes = static_cast<std::size_t>(count > 4 ? std::atoll(words[4]) : 0);
  if (what == "take") return take(accepted(words));
  if (what == "give" && count == 5) return give(connected(words), bytes);
  const int on = 1;
  if (what == "echo" && count == 5) {
    const int socket = accepted(words);
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return echo(socket, bytes);
  }
  if (what == "ask" && count == 6) return ask(connected(words), bytes, std::atoi(words[5]));
  return 2;
}
