#include "traces/kineto/event_fields.h"

#include <array>

namespace quintet::kineto {
namespace {

struct Key {
  std::string_view name;
  std::size_t field = no_field;
  constexpr Key() = default;
  constexpr Key(std::string_view key, Field meant)
      : name(key), field(static_cast<std::size_t>(meant)) {}
  constexpr Key(std::string_view key, std::size_t meant) : name(key), field(meant) {}
};

constexpr std::array event_keys{
    Key{"ph", Field::phase},    Key{"cat", Field::category}, Key{"name", Field::name},
    Key{"pid", Field::process}, Key{"tid", Field::thread},   Key{"ts", Field::start},
    Key{"dur", Field::time},    Key{"args", args_field},     Key{"id", Field::flow},
};

constexpr std::array args_keys{
    Key{"External id", Field::external},
    Key{"correlation", Field::correlation},
    Key{"device", Field::device},
    Key{"stream", Field::stream},
    Key{"grid", Field::grid},
    Key{"bytes", Field::bytes},
    Key{"size", Field::bytes},
    Key{"kind", Field::copy_kind},
    Key{"Record function id", Field::record},
    Key{"Sequence number", Field::sequence},
    Key{"Fwd thread id", Field::forward_thread},
    Key{"Input Dims", Field::shapes},
    Key{"Input type", Field::types},
    Key{"cuda_sync_kind", Field::sync_kind},
    Key{"wait_on_stream", Field::waited_stream},
    Key{"wait_on_cuda_event_record_corr_id", Field::waited_record},
    Key{"Collective name", Field::collective},
    Key{"dtype", Field::data_type},
    Key{"In msg nelems", Field::elements_in},
    Key{"Out msg nelems", Field::elements_out},
    Key{"Group size", Field::group_size},
    Key{"Process Group Name", Field::group_name},
    Key{"Process Group Description", Field::group_description},
    Key{"Process Group Ranks", Field::group_ranks},
    Key{"Seq", Field::group_sequence},
    Key{"Src Rank", Field::source_rank},
    Key{"Dst Rank", Field::target_rank},
    Key{"name", Field::given_name},
    Key{"labels", Field::labels},
    Key{"external id", Field::external},
    Key{"Device Id", Field::device},
    Key{"Stream Id", Field::stream},
};

constexpr std::size_t hash_of(std::string_view key) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(key[at]); };
  return key.size() * 37 + byte(0) * 11 + byte(key.size() - 1) * 5 + byte(key.size() / 2);
}

// Most keys of a trace are none of ours: they are known by one look at an empty place.
template <std::size_t count>
class KeyTable {
 public:
  constexpr explicit KeyTable(const std::array<Key, count>& keys) {
    for (const Key& key : keys) {
      std::size_t at = hash_of(key.name) % size;
      while (!slots_[at].name.empty()) at = (at + 1) % size;
      slots_[at] = key;
    }
  }
  std::size_t find(std::string_view key) const {
    std::size_t at = hash_of(key) % size;
    for (; !slots_[at].name.empty(); at = (at + 1) % size)
      if (slots_[at].name == key) return slots_[at].field;
    return no_field;
  }

 private:
  static constexpr std::size_t size = 256;
  std::array<Key, size> slots_{};
};
constexpr KeyTable event_table(event_keys);
constexpr KeyTable args_table(args_keys);

}  // namespace

std::size_t field_of_key(KeyOf of, std::string_view key) {
  if (key.empty()) return no_field;
  return of == KeyOf::event ? event_table.find(key) : args_table.find(key);
}

}  // namespace quintet::kineto
