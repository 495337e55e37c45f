#include "sim/usage/verb.h"

#include <algorithm>
#include <string_view>

namespace quintet {

std::vector<std::string> names_of(const Option& option) {
  std::vector<std::string> names;
  for (std::string_view rest = option.names; !rest.empty();) {
    const std::size_t length = std::min(rest.find(','), rest.size());
    names.emplace_back(rest.substr(0, length));
    rest.remove_prefix(std::min(length + 1, rest.size()));
  }
  return names;
}

std::vector<std::string> long_names(const Options& options) {
  std::vector<std::string> names{"--help"};
  for (const Option& option : options)
    for (std::string& name : names_of(option))
      if (name.starts_with("--")) names.push_back(std::move(name));
  return names;
}

Options own_options(const CommandLine& program) {
  return *program.version ? Options{{.names = "--version"}} : Options{};
}

Options together(std::initializer_list<Options> parts) {
  Options all;
  for (const Options& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace quintet
