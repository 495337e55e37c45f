// Options that several verbs have.
#pragma once

#include <optional>

#include <CLI/CLI.hpp>

namespace quintet {

void add_hosts_option(CLI::App& verb, std::optional<int>& hosts);

}  // namespace quintet
