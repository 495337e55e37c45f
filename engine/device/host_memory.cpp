#include "engine/device/host_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <new>

namespace quintet::engine {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t least_piece = std::size_t{64} << 20;

std::size_t in_huge_pages(std::size_t bytes) {
  return (bytes + huge_page - 1) / huge_page * huge_page;
}

bool welcome(const Places&) {
  return true;
}

}  // namespace

HostMemory::~HostMemory() {
  for (const Piece& piece : pieces_) munmap(piece.memory, piece.bytes);
}

// A huge page lies where its size divides the address, so one page more is asked for.
void HostMemory::grow(std::size_t bytes) {
  const std::size_t usable = std::max(least_piece, in_huge_pages(bytes));
  const std::size_t all = usable + huge_page;
  void* const memory = mmap(nullptr, all, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  pieces_.push_back({memory, all});
  const std::size_t past = reinterpret_cast<std::uintptr_t>(memory) % huge_page;
  std::byte* const first = static_cast<std::byte*>(memory) + (past == 0 ? 0 : huge_page - past);
#if defined(MADV_HUGEPAGE)
  // Refused where the kernel was built without: small pages do as well.
  (void)madvise(first, usable, MADV_HUGEPAGE);
#endif
  blocks_.add(first, usable);
}

std::byte* HostMemory::take(std::size_t bytes) {
  std::optional<FreeBlocks::Taken> block = blocks_.take(bytes, welcome);
  if (!block) {
    grow(bytes);
    block = blocks_.take(bytes, welcome);
  }
  return block->memory;
}

void HostMemory::give_back(std::byte* memory) {
  blocks_.give_back(memory, {}, welcome);
}

}  // namespace quintet::engine
