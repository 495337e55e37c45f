#include "gui/window/opened_file.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/json/outer_keys.h"

namespace quintet::gui {

namespace {

struct Sign {
  std::string_view key;  // of the outermost object
  OpenedKind kind;
};

// The first that a file has.
constexpr std::array signs{Sign{"quintet_session", OpenedKind::session},
                           Sign{"traceEvents", OpenedKind::trace},
                           Sign{"quintet", OpenedKind::trace},
                           Sign{"parallelism", OpenedKind::plan},
                           Sign{"ccl", OpenedKind::plan},
                           Sign{"intra_inter", OpenedKind::plan},
                           Sign{"host_net", OpenedKind::plan},
                           Sign{"gpu", OpenedKind::costs},
                           Sign{"host", OpenedKind::topology},
                           Sign{"hosts", OpenedKind::topology},
                           Sign{"host_groups", OpenedKind::topology},
                           Sign{"like", OpenedKind::topology},
                           Sign{"devices", OpenedKind::topology},
                           Sign{"hidden_size", OpenedKind::model},
                           Sign{"n_embd", OpenedKind::model},
                           Sign{"model_type", OpenedKind::model}};

bool is_packed(std::string_view text) {
  return text.starts_with("\x1f\x8b") || text.starts_with("\x28\xb5\x2f\xfd");
}

}  // namespace

Result<OpenedKind> kind_of_file(const std::filesystem::path& file) {
  if (std::filesystem::is_directory(file)) return OpenedKind::model;
  std::ifstream in(file, std::ios::binary);
  if (!in) return Error{file.string(), "cannot be read"};
  std::string beginning(1 << 16, '\0');
  in.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(in.gcount()));
  if (is_packed(beginning)) return OpenedKind::trace;
  const std::vector<std::string> keys = outer_keys(beginning);
  for (const Sign& sign : signs)
    if (std::find(keys.begin(), keys.end(), sign.key) != keys.end()) return sign.kind;
  return Error{file.string(),
               "is none of what can be opened: a session, a trace, a plan, a topology, a cost "
               "table or a model's config.json"};
}

}  // namespace quintet::gui
