#include "gui/window/opened_file.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>

namespace quintet::gui {

namespace {

struct Sign {
  std::string_view key;  // at the file's top level, in quotes
  OpenedKind kind;
};

// In this order: a trace may hold anything further down.
constexpr std::array signs{Sign{"\"quintet_session\"", OpenedKind::session},
                           Sign{"\"traceEvents\"", OpenedKind::trace},
                           Sign{"\"quintet\"", OpenedKind::trace},
                           Sign{"\"parallelism\"", OpenedKind::plan},
                           Sign{"\"host\"", OpenedKind::topology},
                           Sign{"\"hosts\"", OpenedKind::topology},
                           Sign{"\"network\"", OpenedKind::topology},
                           Sign{"\"devices\"", OpenedKind::topology},
                           Sign{"\"measured_on\"", OpenedKind::costs},
                           Sign{"\"operators\"", OpenedKind::costs},
                           Sign{"\"gpu\"", OpenedKind::costs},
                           Sign{"\"kernels\"", OpenedKind::costs},
                           Sign{"\"hidden_size\"", OpenedKind::model},
                           Sign{"\"n_embd\"", OpenedKind::model},
                           Sign{"\"model_type\"", OpenedKind::model}};

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
  const auto found = std::find_if(signs.begin(), signs.end(), [&](const Sign& sign) {
    return beginning.find(sign.key) != std::string::npos;
  });
  if (found != signs.end()) return found->kind;
  return Error{file.string(),
               "is none of what can be opened: a session, a trace, a plan, a topology, a cost "
               "table or a model's config.json"};
}

}  // namespace quintet::gui
