// What `quintet` and its sibling programs do alike: a verb is told by options, works, and says how
// it ended.
//   0 done; 1 it ran and the answer is no (a plan does not fit, a rank failed); 2 wrong usage or
//   input
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace quintet {

enum class ExitCode { done = 0, answer_is_no = 1, wrong_input = 2 };

// Where an option's value goes; a bool makes it a flag.
using Target = std::variant<bool*, int*, std::int64_t*, std::uint64_t*, float*, double*,
                            std::string*, std::filesystem::path*, std::vector<std::string>*,
                            std::optional<int>*, std::optional<double>*>;

// has_default: help shows what the target holds.
enum class Need { optional, required, has_default };

// What a value is held to beyond its type.
struct Anything {};
struct WholeRange {
  int least, most;
};
struct NumberRange {
  double least, most;
};
struct NotNegative {};
struct OneOf {
  std::span<const char* const> words;
};
struct Judged {
  std::string (*complaint)(const std::string& given);  // empty: it is fine
};
using Check = std::variant<Anything, WholeRange, NumberRange, NotNegative, OneOf, Judged>;

struct Option {
  const char* names;  // "-o,--output"; without dashes it is known by its place
  Target into;        // outlives the command line
  const char* does;
  const char* type = "";  // of the value in help; empty: as the target's type is called
  Need need = Need::optional;
  Check check = {};
  const char* excludes = "";   // an option that stands before it in the list
  int values = 0;              // exactly so many; 0: as many as the target takes
  bool one_each_time = false;  // several only by repeating it, since more words may follow
  bool bare = false;           // of text: "true" without a value, else what stands behind '='
};

using Options = std::vector<Option>;

struct VerbText {
  const char *name, *does, *footer = "";
};

class Verb {
 public:
  Verb() = default;
  Verb(const Verb&) = delete;  // its options point into it
  Verb& operator=(const Verb&) = delete;
  virtual ~Verb() = default;

  virtual ExitCode run() const = 0;

  VerbText text;
  Options options;
};

// What a verb of this kind is made of: options that write into Arguments, and what it then does.
template <class Arguments>
struct VerbParts {
  Options (*options)(Arguments& into);
  ExitCode (*act)(const Arguments& arguments);
};

template <class Arguments>
class VerbWith final : public Verb {
 public:
  VerbWith(const VerbText& about, const VerbParts<Arguments>& parts, Arguments arguments)
      : act_(parts.act), arguments_(std::move(arguments)) {
    text = about;
    options = parts.options(arguments_);
  }
  ExitCode run() const override { return act_(arguments_); }

 private:
  ExitCode (*act_)(const Arguments& arguments);
  Arguments arguments_;
};

template <class Arguments>
std::unique_ptr<Verb> make_verb(const VerbText& text, const VerbParts<Arguments>& parts,
                                Arguments arguments = {}) {
  return std::make_unique<VerbWith<Arguments>>(text, parts, std::move(arguments));
}

using Verbs = std::vector<std::unique_ptr<Verb>>;

// A program's command line: all that may stand behind its name.
struct CommandLine {
  const char *does, *footer = "", *version = "";
  Verbs verbs;
  std::vector<VerbText> elsewhere;  // verbs of sibling programs, listed beside its own
};

// "-o" and "--output".
std::vector<std::string> names_of(const Option& option);
// Those with two dashes; before them that of the help which every verb has.
std::vector<std::string> long_names(const Options& options);
// What may stand before any verb, but help.
Options own_options(const CommandLine& program);
Options together(std::initializer_list<Options> parts);

}  // namespace quintet
