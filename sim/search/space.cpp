#include "sim/search/space.h"

#include <cassert>

#include "sim/search/search_fields.h"

namespace quintet {

std::uint64_t limited_product(std::uint64_t left, std::uint64_t right, std::uint64_t most) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(left, right, &product) || product > most ? most : product;
}

PartSpace part_of(const Space& space, SearchPart part) {
  PartSpace found;
  for (const Dimension& dimension : space.dimensions) {
    if (dimension.field->part != part) continue;
    found.dimensions.push_back(&dimension);
    found.size = limited_product(found.size, dimension.choices.size());
  }
  return found;
}

ChoiceNumbers digits_of(const PartSpace& part, std::uint64_t index) {
  assert(index < part.size);
  ChoiceNumbers digits(part.dimensions.size());
  for (std::size_t i = digits.size(); i-- > 0;) {
    const std::uint64_t choices = part.dimensions[i]->choices.size();
    digits[i] = static_cast<std::uint32_t>(index % choices);
    index /= choices;
  }
  return digits;
}

std::uint64_t index_of(const PartSpace& part, const ChoiceNumbers& digits) {
  assert(digits.size() == part.dimensions.size());
  std::uint64_t index = 0;
  for (std::size_t i = 0; i < digits.size(); ++i)
    index = index * part.dimensions[i]->choices.size() + digits[i];
  return index;
}

Numbering::Numbering(const Space& space, std::uint64_t machines) : machines_(machines) {
  size_ = machines;
  for (int part = 0; part < search_part_count; ++part) {
    radix_[static_cast<std::size_t>(part)] = part_of(space, static_cast<SearchPart>(part)).size;
    size_ = limited_product(size_, radix_[static_cast<std::size_t>(part)]);
  }
}

std::uint64_t Numbering::number_of(const CandidateIndices& indices) const {
  std::uint64_t number = indices.machine;
  for (std::size_t part = 0; part < radix_.size(); ++part)
    number = number * radix_[part] + indices.parts[part];
  return number;
}

CandidateIndices Numbering::indices_of(std::uint64_t number) const {
  CandidateIndices indices;
  for (std::size_t part = radix_.size(); part-- > 0;) {
    indices.parts[part] = number % radix_[part];
    number /= radix_[part];
  }
  indices.machine = number;
  return indices;
}

}  // namespace quintet
