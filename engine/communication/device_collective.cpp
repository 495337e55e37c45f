#include "engine/communication/device_collective.h"

#include <cassert>

#include "engine/device/buffer.h"

namespace quintet::engine {

namespace {

using Members = std::span<const CollectiveCall>;

kernels::Combining combining_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum:
      return kernels::Combining::sum;
    case Reduction::maximum:
      return kernels::Combining::maximum;
  }
  assert(false);
  return kernels::Combining::sum;
}

// This combines `size` bytes from `first` on.
kernels::Combine combine_of(Members members, std::size_t first, std::size_t size) {
  const CollectiveCall& work = members.front();
  kernels::Combine made;
  made.count = static_cast<Index>(size / static_cast<std::size_t>(size_of(work.type).value));
  made.type = kernel_type(work.type);
  made.by = combining_of(work.reduction);
  for (const CollectiveCall& member : members)
    made.term[made.terms++] = member.buffer.data() + first;
  return made;
}

void reduce_scatter(kernels::Kernels& kernels, kernels::Stream& stream, Members members) {
  const std::size_t part = members.front().buffer.size() / members.size();
  for (std::size_t owner = 0; owner < members.size(); ++owner) {
    kernels::Combine own = combine_of(members, owner * part, part);
    own.into = static_cast<int>(owner);
    kernels.combine(own, stream);
  }
}

// First all parts to the first member, then all of it to the others: 2(n - 1) copies, not n(n - 1).
void all_gather(kernels::Device& device, const kernels::Stream& stream, Members members) {
  const std::span<std::byte> first = members.front().buffer;
  const std::size_t part = first.size() / members.size();
  for (std::size_t owner = 1; owner < members.size(); ++owner)
    device.copy(first.data() + owner * part, members[owner].buffer.data() + owner * part, part,
                stream);
  for (const CollectiveCall& member : members.subspan(1))
    device.copy(member.buffer.data(), first.data(), first.size(), stream);
}

}  // namespace

void queue_collective(kernels::Device& device, kernels::Kernels& kernels, kernels::Stream& stream,
                      Members members) {
  if (members.front().buffer.empty()) return;
  switch (members.front().kind) {
    case CollectiveKind::all_reduce:
      return kernels.combine(combine_of(members, 0, members.front().buffer.size()), stream);
    case CollectiveKind::reduce_scatter:
      return reduce_scatter(kernels, stream, members);
    case CollectiveKind::all_gather:
      return all_gather(device, stream, members);
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
    case CollectiveKind::all_to_all:
      assert(false);
  }
}

}  // namespace quintet::engine
