// session.json <-> Session: {"quintet_session": 1, "scenario": {"model", "topology", "plan",
// "costs", "stack", "hosts", "set": {"topology.nics": "4"}, "slow", "fail", "delay", "hold"},
// "kept": [{"name", "scenario"}], "recording", "view"}.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "gui/scenario/session.h"
#include "sim/base/result.h"

namespace quintet::gui {

inline constexpr const char* session_ending = ".quintet-session.json";

// The error names the file, the field and what is accepted. Files that it names are not opened.
Result<Session> read_session(const std::filesystem::path& file);
Result<Session> parse_session(const std::string& text, const std::string& where);
std::string session_text(const Session& session);

// Beside the target and renamed, so that a killed process leaves the old file or the new one.
std::optional<Error> write_session(const std::filesystem::path& file, const Session& session);

}  // namespace quintet::gui
