#include "engine/command/last_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/files/checkpoint/checkpoint_steps.h"

namespace quintet::engine {

namespace {

constexpr const char* plain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";

std::string in_shell(const std::string& word) {
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char letter : word)
    if (letter == '\'')
      quoted += "'\\''";
    else
      quoted += letter;
  return quoted + "'";
}

std::string how_to_go_on(const TrainingOptions& options, std::vector<std::string> command_line) {
  if (options.checkpoint.empty())
    return "There is no checkpoint to go on from: --checkpoint FOLDER --checkpoint-every STEPS "
           "writes them";
  const std::vector<std::int64_t> steps = complete_steps(options.checkpoint);
  if (steps.empty())
    return fmt::format(
        "There is no whole checkpoint in {} to go on from: --checkpoint-every STEPS "
        "(now {}) writes them earlier",
        options.checkpoint.string(),
        options.checkpoint_every == 0 ? std::string("0, one at the end")
                                      : std::to_string(options.checkpoint_every));
  if (std::find(command_line.begin(), command_line.end(), "--resume") == command_line.end())
    command_line.push_back("--resume");
  return fmt::format("Go on after step {} with: quintet run {}", steps.back(),
                     shell_line(command_line));
}

}  // namespace

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + in_shell(word);
  return line;
}

std::string last_words(const std::string& cause, const TrainingOptions& options,
                       const std::vector<std::string>& command_line) {
  return cause + ". " + how_to_go_on(options, command_line);
}

std::optional<std::string> saved_words(const TrainingOptions& options) {
  if (options.checkpoint.empty()) return std::nullopt;
  const std::vector<std::int64_t> steps = complete_steps(options.checkpoint);
  if (steps.empty()) return std::nullopt;
  return fmt::format(
      "Step {} is saved in {}; --resume with more --steps goes on from it, in another layout too.",
      steps.back(), options.checkpoint.string());
}

}  // namespace quintet::engine
