#include <cstdio>
#include <string>
#include <string_view>

#include "sim/command/commands.h"

namespace quintet {

namespace {

// Each asks `quintet --complete WORD...` and shows what it says (offers.h). The command is asked as
// it was typed, so that ./build/release/quintet completes itself.

// `mapfile` keeps a word whole that has blanks in it.
constexpr const char* bash_script =
    R"sh(# bash completion of quintet: eval "$(quintet completion bash)"
_quintet() {
  local word offer joins='' i
  local -a words=() offers
  # Readline parts words at '=' and ':', which are inside of ours.
  for ((i = 0; i <= COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [[ i -gt 1 && ( -n $joins || $word == [=:] ) ]]; then words[-1]+=$word; else words+=("$word"); fi
    [[ $word == [=:] ]] && joins=yes || joins=''
  done
  word=${words[-1]}
  mapfile -t offers < <("${words[0]}" --complete "${words[@]:1}" 2>/dev/null)
  COMPREPLY=()
  for offer in "${offers[@]}"; do
    [[ $offer == :* ]] || COMPREPLY+=("${offer%%$'\t'*}")
  done
  # Readline has only what stands behind the last '=' or ':' of the word.
  if [[ $word == *[=:]* && $COMP_WORDBREAKS == *=* ]]; then
    local head=${word%"${word##*[=:]}"}
    COMPREPLY=("${COMPREPLY[@]#"$head"}")
  fi
  [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
  if [[ ${offers[-1]-} == :files ]]; then
    compopt -o filenames 2>/dev/null
    local file
    while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$word")
  fi
}
complete -F _quintet quintet
)sh";

constexpr const char* zsh_script = R"sh(#compdef quintet
# zsh completion of quintet: source <(quintet completion zsh), behind compinit
_quintet() {
  local -a offers described open
  local offer word
  offers=("${(@f)$("${words[1]}" --complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for offer in "${offers[@]}"; do
    [[ $offer == :* ]] && continue
    word=${offer%%$'\t'*}
    # _describe parts word and text at a colon.
    local entry=${word//:/\\:}
    [[ $offer == *$'\t'* ]] && entry+=":${offer#*$'\t'}"
    if [[ $word == *= ]]; then open+=("$entry"); else described+=("$entry"); fi
  done
  local -i found=1
  (( ${#described} )) && _describe -V quintet described && found=0
  (( ${#open} )) && _describe -V field open -S '' && found=0
  [[ ${offers[-1]} == :files ]] && _files && found=0
  return found
}
if [[ ${funcstack[1]-} == _quintet ]]; then _quintet "$@"; else compdef _quintet quintet; fi
)sh";

constexpr const char* fish_script =
    R"sh(# fish completion of quintet: quintet completion fish | source
function __quintet_offers
    set -l words (commandline -opc) (commandline -ct)
    set -l offers ($words[1] --complete $words[2..-1] 2>/dev/null)
    for offer in $offers
        string match -q ':*' -- $offer; or echo $offer
    end
    test "$offers[-1]" = ":files"; and __fish_complete_path (commandline -ct)
end
complete -c quintet -f -a '(__quintet_offers)'
)sh";

struct Completion {
  std::string shell = "bash";
};

ExitCode print_completion(const Completion& completion) {
  const std::string_view shell = completion.shell;
  std::fputs(shell == "zsh" ? zsh_script : shell == "fish" ? fish_script : bash_script, stdout);
  return ExitCode::done;
}

constexpr const char* shells[] = {"bash", "zsh", "fish"};

Options options(Completion& into) {
  return {{"shell", &into.shell, "Whose script: bash, zsh or fish", "SHELL", Need::has_default,
           OneOf{shells}}};
}

}  // namespace

std::unique_ptr<Verb> completion_verb() {
  return make_verb<Completion>({"completion", "Print the completion script for a shell",
                                "Examples:\n"
                                "  quintet completion bash\n"
                                "  quintet completion fish\n"
                                "In ~/.bashrc: eval \"$(quintet completion bash)\"; in ~/.zshrc, "
                                "behind compinit: source <(quintet completion zsh); in "
                                "config.fish: quintet completion fish | source\n"
                                "Exit: 0 done, 2 wrong usage."},
                               {options, print_completion});
}

}  // namespace quintet
