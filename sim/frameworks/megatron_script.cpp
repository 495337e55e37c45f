#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/base/shown_text.h"
#include "sim/frameworks/megatron.h"
#include "sim/frameworks/megatron_words.h"
#include "sim/frameworks/nccl_environment.h"
#include "sim/frameworks/shell_text.h"

namespace quintet::megatron {
namespace {

std::optional<Error> take_environment(const ShellText& shell, const std::string& where,
                                      ImportedPlan& into) {
  for (const auto& [name, word] : shell.variables) {
    if (!name.starts_with("NCCL_")) continue;
    const std::string what = shown(name + "=" + word.text, 80);
    if (word.unknown) {
      into.not_understood.push_back({word.line, what, "has a value that the file does not set"});
      continue;
    }
    const Result<bool> taken = take_nccl_variable({name, word.text}, into.plan);
    if (!taken) return Error{fmt::format("{}:{}", where, word.line), taken.error().what};
    if (!*taken) into.not_understood.push_back({word.line, what, "a plan has no field for it"});
  }
  return std::nullopt;
}

}  // namespace

Result<ImportedPlan> read(const std::string& text, const std::string& where,
                          const ImportNeeds& needs) {
  const Result<ShellText> shell = read_shell(text, where);
  if (!shell) return shell.error();
  Result<SortedWords> sorted = sorted_words(shell->words, where);
  if (!sorted) return sorted.error();
  ImportedPlan imported;
  imported.not_understood = std::move(sorted->not_understood);
  const Arguments given(where, std::move(sorted->given));
  const auto connections = shell->variables.find("CUDA_DEVICE_MAX_CONNECTIONS");
  const std::string value = connections == shell->variables.end() ? "" : connections->second.text;
  if (auto error = refusal(given, value)) return *error;
  if (auto error = understand(given, needs, imported)) return *error;
  if (auto error = take_environment(*shell, where, imported)) return *error;
  std::stable_sort(imported.not_understood.begin(), imported.not_understood.end(),
                   [](const auto& one, const auto& other) { return one.line < other.line; });
  return imported;
}

}  // namespace quintet::megatron
