#include "sim/usage/memory_pages.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace quintet {

#ifdef __GLIBC__

namespace {

constexpr std::size_t large_page = std::size_t{2} << 20;
constexpr int heap = 64 << 20;         // address space only: memory is what is touched of it
constexpr int never = 1 << 30;         // as good as: nothing here is as large
constexpr int usual_growth = 1 << 20;  // of the heap beyond that

// Lets the heap grow, and says where it began to. Null: it does not (limits of the process).
char* grown_heap() {
  auto* const before = static_cast<char*>(sbrk(0));
  mallopt(M_TOP_PAD, heap);
  std::free(std::malloc(static_cast<std::size_t>(heap) / 8));
  mallopt(M_TOP_PAD, usual_growth);
  const auto* const after = static_cast<char*>(sbrk(0));
  return after - before >= heap ? before : nullptr;
}

}  // namespace

void keep_memory() {
  mallopt(M_MMAP_THRESHOLD, never);
  mallopt(M_TRIM_THRESHOLD, never);
  char* const begin = grown_heap();
  if (begin == nullptr) return;
  const auto misplaced = reinterpret_cast<std::uintptr_t>(begin) % large_page;
  char* const first = misplaced == 0 ? begin : begin + (large_page - misplaced);
  madvise(first, static_cast<std::size_t>(heap) - large_page, MADV_HUGEPAGE);
}

#else

void keep_memory() {}

#endif

}  // namespace quintet
