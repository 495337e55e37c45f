// What every rank found becomes what all know, through rank 0: nobody goes on while another could
// not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/peers/state_messages.h"

namespace quintet::engine {

// "rank 3: ..." in front of where it went wrong.
Error error_of(Rank rank, const Error& error);

// A text or an error as one text, and back.
std::string report_text(const Result<std::string>& report);
Result<std::string> parse_report(const std::string& text);

// The next text of the rank, waited for.
Result<std::string> awaited(StateMessages& messages, Rank from);

// On rank 0: every rank's text, or the first error with its rank. Elsewhere: nothing in it.
Result<std::vector<std::string>> gathered(StateMessages& messages, const Result<std::string>& mine);
// Rank 0's answer, on every rank.
Result<std::string> told(StateMessages& messages, const Result<std::string>& answer);

// Nothing where all ranks have no error; the same error on all of them otherwise.
std::optional<Error> agreed(StateMessages& messages, const std::optional<Error>& mine);

}  // namespace quintet::engine
