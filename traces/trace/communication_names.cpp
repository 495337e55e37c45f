#include "traces/trace/communication_names.h"

#include <algorithm>
#include <array>

namespace quintet::pytorch {
namespace {

using Kind = CommunicationKind;

struct KindName {
  std::string_view name;
  Kind kind;
};
// In small letters and without lines between words; the first that a name begins with.
constexpr std::array kind_names{
    KindName{"allreducebarrier", Kind::barrier},
    KindName{"allreduce", Kind::all_reduce},
    KindName{"allgather", Kind::all_gather},
    KindName{"reducescatter", Kind::reduce_scatter},
    KindName{"alltoall", Kind::all_to_all},
    KindName{"broadcast", Kind::broadcast},
    KindName{"reduce", Kind::reduce},
    KindName{"gather", Kind::gather},
    KindName{"scatter", Kind::scatter},
    KindName{"barrier", Kind::barrier},
    KindName{"sendrecv", Kind::send_and_receive},
    KindName{"send", Kind::send},
    KindName{"recv", Kind::receive},
};

// c10::ScalarType's names, C++'s as PyTorch prints them, and NCCL's.
constexpr std::array element_types{
    ElementType{"float", 4, DataType::fp32},       ElementType{"f32", 4, DataType::fp32},
    ElementType{"fp32", 4, DataType::fp32},        ElementType{"bfloat16", 2, DataType::bf16},
    ElementType{"bf16", 2, DataType::bf16},        ElementType{"half", 2, DataType::fp16},
    ElementType{"f16", 2, DataType::fp16},         ElementType{"fp16", 2, DataType::fp16},
    ElementType{"int", 4, DataType::int32},        ElementType{"int32_t", 4, DataType::int32},
    ElementType{"i32", 4, DataType::int32},        ElementType{"uint32_t", 4, DataType::int32},
    ElementType{"u32", 4, DataType::int32},        ElementType{"long", 8, std::nullopt},
    ElementType{"long int", 8, std::nullopt},      ElementType{"int64_t", 8, std::nullopt},
    ElementType{"i64", 8, std::nullopt},           ElementType{"uint64_t", 8, std::nullopt},
    ElementType{"u64", 8, std::nullopt},           ElementType{"double", 8, std::nullopt},
    ElementType{"f64", 8, std::nullopt},           ElementType{"short", 2, std::nullopt},
    ElementType{"byte", 1, DataType::int8},        ElementType{"char", 1, DataType::int8},
    ElementType{"signed char", 1, DataType::int8}, ElementType{"unsigned char", 1, DataType::int8},
    ElementType{"bool", 1, DataType::int8},        ElementType{"int8_t", 1, DataType::int8},
    ElementType{"i8", 1, DataType::int8},          ElementType{"uint8_t", 1, DataType::int8},
    ElementType{"u8", 1, DataType::int8},          ElementType{"f8e4m3", 1, DataType::fp8},
    ElementType{"f8e5m2", 1, DataType::fp8},       ElementType{"complexfloat", 8, std::nullopt},
};

struct Word {
  std::string_view in_name, said;
};
constexpr std::array algorithm_words{
    Word{"_RING", "ring"},
    Word{"_COLLNET_DIRECT", "collnet-direct"},
    Word{"_COLLNET_CHAIN", "collnet-chain"},
    Word{"_NVLS_TREE", "nvls-tree"},
    Word{"_NVLS", "nvls"},
    Word{"_TREE", "tree"},
    Word{"_PAT", "pat"},
    Word{"Ring", "ring"},
    Word{"Tree", "tree"},
};
constexpr std::array protocol_words{
    Word{"LL128", "LL128"}, Word{"_LL", "LL"},         Word{"RingLL", "LL"},
    Word{"TreeLL", "LL"},   Word{"_SIMPLE", "simple"}, Word{"_Simple", "simple"},
};

char small(char character) {
  return character >= 'A' && character <= 'Z' ? static_cast<char>(character + ('a' - 'A'))
                                              : character;
}

std::string in_small_letters(std::string_view text) {
  std::string small_text(text);
  std::transform(text.begin(), text.end(), small_text.begin(), small);
  return small_text;
}

template <std::size_t count>
std::string_view first_word(const std::array<Word, count>& words, std::string_view name) {
  for (const Word& word : words)
    if (name.find(word.in_name) != std::string_view::npos) return word.said;
  return {};
}

bool reduces(Kind kind) {
  return kind == Kind::all_reduce || kind == Kind::reduce_scatter || kind == Kind::reduce;
}

// The last part between "_" that names a type: "AllReduce_Sum_f32_RING_LL".
std::optional<ElementType> type_in_kernel(std::string_view name) {
  for (const ElementType& known : element_types) {
    const std::size_t at = name.find(known.name);
    if (at == std::string_view::npos || at == 0 || name[at - 1] != '_') continue;
    const std::size_t end = at + known.name.size();
    if (end == name.size() || name[end] == '_') return known;
  }
  return std::nullopt;
}

}  // namespace

std::optional<CommunicationKind> communication_named(std::string_view name) {
  if (const std::size_t colon = name.rfind(':'); colon != std::string_view::npos)
    name.remove_prefix(colon + 1);
  std::string letters = in_small_letters(name.substr(0, 64));
  std::erase_if(letters, [](char character) { return character == '_' || character == '-'; });
  for (const KindName& known : kind_names)
    if (letters.starts_with(known.name)) return known.kind;
  return std::nullopt;
}

std::optional<ElementType> element_type_named(std::string_view name) {
  const std::string letters = in_small_letters(name.substr(0, 64));
  std::string_view plain = letters;
  for (const std::string_view prefix : {"c10::", "__nv_", "torch."})
    if (plain.starts_with(prefix)) plain.remove_prefix(prefix.size());
  for (const ElementType& known : element_types)
    if (known.name == plain) return known;
  if (plain.starts_with("float8")) return ElementType{"float8", 1, DataType::fp8};
  return std::nullopt;
}

std::optional<KernelCommunication> communication_of_kernel(std::string_view name) {
  if (name.starts_with("void ")) name.remove_prefix(5);
  name = name.substr(0, name.find_first_of("(<"));
  const bool microsoft = name.starts_with("mscclKernel");  // RCCL's, of all-reduce
  if (!name.starts_with("nccl") && !name.starts_with("rccl") && !microsoft) return std::nullopt;
  std::string_view rest = name;
  const std::size_t kernel = name.find("Kernel");
  const std::size_t line = name.find('_', kernel == std::string_view::npos ? 0 : kernel);
  const bool named_after = kernel != std::string_view::npos && line != std::string_view::npos &&
                           !communication_named(name.substr(4));
  rest.remove_prefix(named_after ? line + 1 : std::size_t{4});
  KernelCommunication found;
  found.kind = communication_named(rest).value_or(microsoft ? Kind::all_reduce : Kind::unknown);
  if (reduces(found.kind)) found.type = type_in_kernel(name);
  found.detail = first_word(algorithm_words, name);
  const std::string_view protocol = first_word(protocol_words, name);
  if (!found.detail.empty() && !protocol.empty()) found.detail += ' ';
  found.detail += protocol;
  return found;
}

std::int64_t full_buffer(CommunicationKind kind, std::int64_t in, std::int64_t out, int ranks) {
  const auto of_all = [&](std::int64_t part) {
    std::int64_t all = -1;
    if (part < 0 || ranks <= 0 || __builtin_mul_overflow(part, ranks, &all))
      return std::int64_t{-1};
    return all;
  };
  switch (kind) {
    case Kind::all_gather:
      return out >= 0 ? out : of_all(in);
    case Kind::reduce_scatter:
      return in >= 0 ? in : of_all(out);
    case Kind::gather:  // only the root gets anything
      return out > 0 ? out : of_all(in);
    case Kind::scatter:
      return in > 0 ? in : of_all(out);
    case Kind::all_reduce:
    case Kind::broadcast:
    case Kind::reduce:
    case Kind::all_to_all:
    case Kind::barrier:
    case Kind::send:
    case Kind::receive:
    case Kind::send_and_receive:
    case Kind::unknown:
      return std::max(in, out);
  }
  return -1;
}

std::optional<std::int64_t> elements_of_shapes(std::string_view shapes) {
  std::int64_t sum = 0, product = 1, number = 0;
  bool in_number = false, has_numbers = false, any = false, fits = true;
  for (const char character : shapes) {
    if (character >= '0' && character <= '9') {
      fits &= !__builtin_mul_overflow(number, 10, &number);
      fits &= !__builtin_add_overflow(number, character - '0', &number);
      in_number = true;
      continue;
    }
    if (in_number) {
      fits &= !__builtin_mul_overflow(product, number, &product);
      has_numbers = true;
      number = 0;
      in_number = false;
    }
    if (character == ']' && has_numbers) {
      fits &= !__builtin_add_overflow(sum, product, &sum);
      any = true;
    }
    if (character == '[' || character == ']') product = 1, has_numbers = false;
  }
  if (!any || !fits) return std::nullopt;
  return sum;
}

}  // namespace quintet::pytorch
