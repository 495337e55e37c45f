#include "engine/launch/hosts.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "engine/launch/rendezvous/rendezvous_place.h"
#include "sim/base/shown_text.h"

namespace quintet::engine {
namespace {

constexpr int most_slots = 16384;

std::optional<Error> read_field(const std::string& word, const std::string& where, HostLine& line) {
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  if (name == "address" && !value.empty()) {
    line.address = value;
    return std::nullopt;
  }
  if (name != "slots")
    return Error{where, "found " + in_quotes(word) + "; expected slots=N or address=ADDRESS"};
  const char* const end = value.data() + value.size();
  const auto read = std::from_chars(value.data(), end, line.slots);
  if (read.ec != std::errc() || read.ptr != end || line.slots < 1 || line.slots > most_slots)
    return Error{where + ": slots", fmt::format("expected a number from 1 to {}, found {}",
                                                most_slots, in_quotes(value))};
  return std::nullopt;
}

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char letter : word)
    text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

bool travels(const std::string& variable) {
  if (variable.starts_with(std::string(token_variable) + "=")) return false;
  return variable.starts_with("QUINTET_") || variable.starts_with("OMP_") ||
         variable.starts_with("UCX_");
}

// execve takes no PATH.
std::string found_in_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* const path = std::getenv("PATH");
  std::string folders = path ? path : "/usr/bin:/bin";
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const std::filesystem::path file =
        std::filesystem::path(folders.substr(begin, end - begin)) / program;
    std::error_code error;
    if (std::filesystem::exists(file, error)) return file.string();
    begin = end + 1;
  }
  return program;
}

}  // namespace

Result<std::vector<HostLine>> parse_hosts(const std::string& text, const std::string& where) {
  std::vector<HostLine> hosts;
  std::istringstream lines(text);
  int number = 0;
  for (std::string each; std::getline(lines, each);) {
    const std::string place = fmt::format("{}: line {}", where, ++number);
    std::istringstream words(each.substr(0, each.find('#')));
    HostLine line;
    if (!(words >> line.name)) continue;
    // What begins with a dash would be an option of ssh.
    if (line.name.starts_with('-') || line.name.find('=') != std::string::npos)
      return Error{place, "expected a host's name first, found " + in_quotes(line.name)};
    for (std::string word; words >> word;)
      if (const auto wrong = read_field(word, place, line)) return *wrong;
    if (line.address.empty())
      return Error{
          place, "address=ADDRESS is missing: what ranks on " + in_quotes(line.name) + " bind to"};
    hosts.push_back(std::move(line));
  }
  if (hosts.empty())
    return Error{where, "names no host; expected lines NAME slots=N address=ADDRESS"};
  return hosts;
}

Result<std::vector<HostLine>> read_hosts(const std::filesystem::path& file) {
  std::error_code unreadable;
  if (std::filesystem::is_directory(file, unreadable))
    return Error{"--hosts " + file.string(),
                 "is a directory, expected a file of lines NAME slots=N address=ADDRESS"};
  std::ifstream in(file);
  if (!in)
    return Error{"--hosts " + file.string(),
                 std::string("cannot be read: ") + std::strerror(errno)};
  std::ostringstream text;
  text << in.rdbuf();
  return parse_hosts(text.str(), file.string());
}

bool is_this_host(const std::string& name) {
  std::array<char, 256> own{};
  gethostname(own.data(), own.size() - 1);
  return name == "localhost" || name == own.data();
}

Result<std::vector<HostLine>> host_of_ranks(const std::vector<HostLine>& hosts, int ranks,
                                            const std::string& where) {
  std::vector<HostLine> all;
  for (const HostLine& host : hosts)
    for (int slot = 0; slot < host.slots && static_cast<int>(all.size()) < ranks; ++slot)
      all.push_back(host);
  if (static_cast<int>(all.size()) < ranks)
    return Error{where, fmt::format("has {} slots for {} ranks", all.size(), ranks)};
  return all;
}

std::string remote_line(const ProcessStart& process, const std::string& directory) {
  std::string line = "cd " + quoted(directory) + " && exec env";
  for (const std::string& variable : process.environment)
    if (travels(variable)) line += " " + quoted(variable);
  for (const std::string& argument : process.arguments) line += " " + quoted(argument);
  return line;
}

Result<pid_t> HostsStarter::start(Rank rank, const ProcessStart& process) {
  const HostLine& host = host_of_rank_[rank.index()];
  if (is_this_host(host.name)) return local_.start(rank, process);
  ProcessStart remote = process;
  remote.arguments = ssh_;
  remote.arguments.front() = found_in_path(ssh_.front());
  remote.arguments.push_back(host.name);
  remote.arguments.push_back(remote_line(process, std::filesystem::current_path().string()));
  return local_.start(rank, remote);
}

}  // namespace quintet::engine
