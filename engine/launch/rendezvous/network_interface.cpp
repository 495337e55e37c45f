#include "engine/launch/rendezvous/network_interface.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/base/shown_text.h"

namespace quintet::engine {

namespace {

struct FreeAddresses {
  void operator()(ifaddrs* list) const { freeifaddrs(list); }
};

// These are the running interfaces, IPv4 before IPv6: a name alone then means the former.
std::vector<NetworkInterface> all_interfaces() {
  ifaddrs* raw = nullptr;
  if (getifaddrs(&raw) != 0) return {};
  const std::unique_ptr<ifaddrs, FreeAddresses> list(raw);
  std::vector<NetworkInterface> found;
  for (const int family : {AF_INET, AF_INET6})
    for (const ifaddrs* each = list.get(); each; each = each->ifa_next) {
      if (!each->ifa_addr || each->ifa_addr->sa_family != family || !(each->ifa_flags & IFF_UP))
        continue;
      char text[INET6_ADDRSTRLEN] = "";
      const void* const bytes =
          family == AF_INET ? static_cast<const void*>(
                                  &reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr)
                            : &reinterpret_cast<const sockaddr_in6*>(each->ifa_addr)->sin6_addr;
      if (inet_ntop(family, bytes, text, sizeof text)) found.push_back({each->ifa_name, text});
    }
  return found;
}

struct Network {
  std::uint32_t bits = 0, mask = 0;
};

std::optional<Network> parse_network(const std::string& text) {
  const std::size_t slash = text.find('/');
  in_addr address{};
  int length = 0;
  if (slash == std::string::npos ||
      inet_pton(AF_INET, text.substr(0, slash).c_str(), &address) != 1)
    return std::nullopt;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + slash + 1, end, length);
  if (read.ec != std::errc() || read.ptr != end || length < 1 || length > 32) return std::nullopt;
  const std::uint32_t mask = ~std::uint32_t{0} << (32 - length);
  return Network{ntohl(address.s_addr) & mask, mask};
}

bool is_in(const NetworkInterface& interface, const Network& network) {
  in_addr address{};
  return inet_pton(AF_INET, interface.address.c_str(), &address) == 1 &&
         (ntohl(address.s_addr) & network.mask) == network.bits;
}

}  // namespace

Result<NetworkInterface> find_interface(const std::string& wanted) {
  const std::vector<NetworkInterface> all = all_interfaces();
  const std::optional<Network> network = parse_network(wanted);
  std::string there;
  for (const NetworkInterface& each : all) {
    if (each.name == wanted || each.address == wanted || (network && is_in(each, *network)))
      return each;
    there += (there.empty() ? "" : ", ") + each.name + " " + each.address;
  }
  return Error{"address " + in_quotes(wanted),
               "is no address, interface or network (10.1.0.0/16) of this host; it has " + there};
}

Result<std::vector<NetworkInterface>> find_interfaces(const std::string& wanted) {
  std::vector<NetworkInterface> found;
  for (std::size_t from = 0; from <= wanted.size();) {
    const std::size_t comma = std::min(wanted.find(',', from), wanted.size());
    const Result<NetworkInterface> one = find_interface(wanted.substr(from, comma - from));
    if (!one) return one.error();
    found.push_back(*one);
    from = comma + 1;
  }
  return found;
}

bool is_running(const Descriptor& socket, const std::string& interface) {
  ifreq request{};
  interface.copy(request.ifr_name, IFNAMSIZ - 1);
  constexpr int running = IFF_UP | IFF_RUNNING;
  return ioctl(socket.number(), SIOCGIFFLAGS, &request) == 0 &&
         (request.ifr_flags & running) == running;
}

}  // namespace quintet::engine
