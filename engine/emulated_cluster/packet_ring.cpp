#include "engine/emulated_cluster/packet_ring.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>

namespace quintet::engine {
namespace {

constexpr std::size_t block_size = 128 * 1024;
constexpr std::size_t header_room = 512;  // tpacket2_hdr, address, virtio_net_hdr, Ethernet
// sizeof(virtio_net_hdr), right before the frame; <linux/virtio_net.h> is not C++ (a member
// `class`).
constexpr std::size_t virtio_header = 10;

bool set(const Descriptor& socket, int option, int value) {
  return setsockopt(socket.number(), SOL_PACKET, option, &value, sizeof value) == 0;
}

// 0: there is none.
int number_of(const Descriptor& socket, const std::string& interface) {
  ifreq request{};
  interface.copy(request.ifr_name, IFNAMSIZ - 1);
  return ioctl(socket.number(), SIOCGIFINDEX, &request) == 0 ? request.ifr_ifindex : 0;
}

bool bind_to(const Descriptor& socket, const std::string& interface) {
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = number_of(socket, interface);
  return address.sll_ifindex != 0 &&
         bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

bool make_ring(const Descriptor& socket, std::size_t frames, std::size_t frame_size) {
  tpacket_req request{};
  request.tp_block_size = block_size;
  request.tp_frame_size = static_cast<unsigned>(frame_size);
  request.tp_frame_nr = static_cast<unsigned>(frames);
  request.tp_block_nr = static_cast<unsigned>(frames * frame_size / block_size);
  return setsockopt(socket.number(), SOL_PACKET, PACKET_RX_RING, &request, sizeof request) == 0;
}

}  // namespace

Result<PacketRing> PacketRing::open(Descriptor socket, const std::string& interface,
                                    RingSize size) {
  const Error failed{"box: " + interface, "cannot watch its frames: "};
  const std::size_t frame_size = std::bit_ceil(size.largest + header_room);
  const std::size_t per_block = block_size / frame_size;
  const std::size_t frames = (size.frames + per_block - 1) / per_block * per_block;
  const bool ready = set(socket, PACKET_VERSION, TPACKET_V2) && set(socket, PACKET_VNET_HDR, 1) &&
                     set(socket, PACKET_IGNORE_OUTGOING, 1) &&
                     make_ring(socket, frames, frame_size);
  if (!ready) return Error{failed.where, failed.what + system_error(errno)};
  void* const memory =
      mmap(nullptr, frames * frame_size, PROT_READ | PROT_WRITE, MAP_SHARED, socket.number(), 0);
  if (memory == MAP_FAILED) return Error{failed.where, failed.what + system_error(errno)};
  PacketRing ring(std::move(socket), static_cast<std::byte*>(memory), frames, frame_size);
  if (!bind_to(ring.socket_, interface))
    return Error{failed.where, failed.what + system_error(errno)};
  return ring;
}

PacketRing::PacketRing(PacketRing&& other) noexcept
    : socket_(std::move(other.socket_)),
      memory_(std::exchange(other.memory_, nullptr)),
      frames_(other.frames_),
      frame_size_(other.frame_size_),
      next_(other.next_) {}

PacketRing::~PacketRing() {
  if (memory_ != nullptr) munmap(memory_, frames_ * frame_size_);
}

std::optional<PacketRing::Frame> PacketRing::front() const {
  auto* const header = reinterpret_cast<tpacket2_hdr*>(slot());
  const std::uint32_t status = std::atomic_ref(header->tp_status).load(std::memory_order_acquire);
  if ((status & TP_STATUS_USER) == 0) return std::nullopt;
  const std::int64_t arrived = std::int64_t{header->tp_sec} * 1'000'000'000 + header->tp_nsec;
  return Frame{arrived,
               {slot() + header->tp_mac - virtio_header, header->tp_snaplen + virtio_header}};
}

void PacketRing::let_go() {
  auto* const header = reinterpret_cast<tpacket2_hdr*>(slot());
  std::atomic_ref(header->tp_status).store(TP_STATUS_KERNEL, std::memory_order_release);
  next_ = (next_ + 1) % frames_;
}

void PacketRing::send(std::span<const std::byte> bytes) const {
  [[maybe_unused]] const ssize_t sent =
      ::send(socket_.number(), bytes.data(), bytes.size(), MSG_DONTWAIT);
}

}  // namespace quintet::engine
