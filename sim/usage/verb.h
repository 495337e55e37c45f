// What `quintet` and its sibling programs do alike: a verb adds its options to a command line and
// says how it ends.
//   0 done; 1 it ran and the answer is no (a plan does not fit, a rank failed); 2 wrong usage or
//   input
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

namespace quintet {

enum class ExitCode { done = 0, answer_is_no = 1, wrong_input = 2 };

// Its options write into it while the command line is parsed, so it stays where it was made.
class Verb {
 public:
  Verb() = default;
  Verb(const Verb&) = delete;
  Verb& operator=(const Verb&) = delete;
  virtual ~Verb() = default;

  virtual ExitCode run() const = 0;

  const CLI::App* app = nullptr;
};

struct VerbText {
  std::string name, does, footer;
};

// What a verb of this kind is made of: options that write into Arguments, and what it then does.
template <class Arguments>
struct VerbParts {
  void (*add_options)(CLI::App& app, Arguments& into);
  ExitCode (*act)(const Arguments& arguments);
};

template <class Arguments>
class VerbWith final : public Verb {
 public:
  VerbWith(CLI::App& program, const VerbText& text, const VerbParts<Arguments>& parts,
           Arguments arguments)
      : act_(parts.act), arguments_(std::move(arguments)) {
    CLI::App* const own = program.add_subcommand(text.name, text.does);
    app = own;
    parts.add_options(*own, arguments_);
    own->footer(text.footer);
  }
  ExitCode run() const override { return act_(arguments_); }

 private:
  ExitCode (*act_)(const Arguments& arguments);
  Arguments arguments_;
};

template <class Arguments>
std::unique_ptr<Verb> add_verb(CLI::App& program, const VerbText& text,
                               const VerbParts<Arguments>& parts, Arguments arguments = {}) {
  return std::make_unique<VerbWith<Arguments>>(program, text, parts, std::move(arguments));
}

}  // namespace quintet
