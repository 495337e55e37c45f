#include "sim/command/help/offers.h"

#include <algorithm>
#include <array>
#include <optional>

#include "sim/asked/field_text.h"
#include "sim/command/help/descriptions.h"
#include "sim/usage/shipped.h"

namespace quintet {
namespace {

using Words = std::vector<std::string>;

// Which shipped files an option or a place takes, by its name.
struct Takes {
  const char* name;
  FileKind kind;
};
constexpr std::array takes{
    Takes{"--model", FileKind::model},    Takes{"--topology", FileKind::topology},
    Takes{"--shape", FileKind::topology}, Takes{"--costs", FileKind::costs},
    Takes{"--stack", FileKind::stack},    Takes{"--faults", FileKind::faults},
    Takes{"--losses", FileKind::losses},  Takes{"--data", FileKind::text},
    Takes{"jobs", FileKind::jobs},        Takes{"plans", FileKind::plan},
    Takes{"plan", FileKind::plan},        Takes{"topology", FileKind::topology}};

std::optional<FileKind> kind_of(const OptionDescription& option) {
  if (option.value == "N") return std::nullopt;  // --data of simulate counts replicas
  for (const Takes& each : takes)
    for (const std::string& name : option.names)
      if (name == each.name) return each.kind;
  return std::nullopt;
}

bool takes_file(const OptionDescription& option) {
  return option.value == "FILE" || kind_of(option).has_value();
}

void add_names(FileKind kind, Offers& to) {
  for (const std::string& name : shipped_names(kind)) to.offers.push_back({name, ""});
}

// A field that is a value, not an object of others: what stands before '=' in --set.
void add_fields(const FieldDescription& object, const std::string& prefix, Offers& to) {
  for (const FieldDescription& field : object.fields) {
    const bool parent = field.kind == FieldKind::object || field.kind == FieldKind::object_or_file;
    if (parent)
      add_fields(field, prefix + field.key + ".", to);
    else if (field.kind != FieldKind::list)
      to.offers.push_back({prefix + field.key + "=", field.meaning});
  }
}

struct NamedFields {
  std::string prefix;
  FieldDescription fields;
};

// As --set calls them: the plan's layers, the machine's host and network, costs and prices.
std::vector<NamedFields> settable() {
  std::vector<NamedFields> all;
  const FieldDescription plan = *fields_of_file("plan"), machine = *fields_of_file("topology");
  for (const FieldDescription& layer : plan.fields)
    if (!layer.fields.empty()) all.push_back({layer.key + ".", layer});
  for (const FieldDescription& field : machine.fields)
    if (field.key == "host" || field.key == "network") all.push_back({field.key + ".", field});
  for (const char* const file : {"costs", "prices"})
    all.push_back({std::string(file) + ".", *fields_of_file(file)});
  return all;
}

const FieldDescription* field_at(const FieldDescription& object, const std::string& path) {
  const std::size_t dot = path.find('.');
  const FieldDescription* const field = field_of(object, path.substr(0, dot));
  return field == nullptr || dot == std::string::npos ? field
                                                      : field_at(*field, path.substr(dot + 1));
}

Words words_of_field(const FieldDescription& field) {
  if (field.kind == FieldKind::truth) return {"false", "true"};
  return field.words;
}

// "parallelism.sch", "parallelism.schedule=gp": of several values the last.
void add_settings(const std::string& word, Offers& to) {
  const std::size_t equals = word.find('=');
  for (const NamedFields& each : settable()) {
    if (equals == std::string::npos) {
      add_fields(each.fields, each.prefix, to);
      continue;
    }
    const std::string path = word.substr(0, equals);
    if (!path.starts_with(each.prefix)) continue;
    const std::size_t comma = word.find_last_of(",=");
    const std::string before = word.substr(0, comma + 1);
    if (const auto* const field = field_at(each.fields, path.substr(each.prefix.size())))
      for (const std::string& value : words_of_field(*field))
        to.offers.push_back({before + value, ""});
  }
}

// The plan's field that an option is short for has the words that it takes ("--schedule").
Words words_of_option(const OptionDescription& option) {
  if (!option.words.empty()) return option.words;
  const FieldDescription plan = *fields_of_file("plan");
  const FieldDescription* const parallelism = field_of(plan, "parallelism");
  for (const std::string& name : option.names) {
    std::string key = name.substr(std::min(name.find_first_not_of('-'), name.size()));
    std::replace(key.begin(), key.end(), '-', '_');
    if (key == "precision") key = "compute_type";
    if (key == "gradient_precision") key = "gradient_type";
    if (const auto* const field = field_of(*parallelism, key)) return field->words;
  }
  return {};
}

void add_values(const OptionDescription& option, const std::string& word, Offers& to) {
  if (option.names.back() == "--set") return add_settings(word, to);
  if (const auto kind = kind_of(option)) add_names(*kind, to);
  // "--schedule 1f1b,gp": lists are completed at their end.
  const std::string before = word.substr(0, word.rfind(',') + 1);  // npos + 1 is 0
  for (const std::string& value : words_of_option(option))
    to.offers.push_back({before + value, ""});
  to.files = to.files || takes_file(option);
}

void add_options(const VerbDescription& verb, Offers& to) {
  to.offers.push_back({"--help", "Print what there is"});
  for (const OptionDescription& option : verb.options)
    for (const std::string& name : option.names)
      if (name.starts_with("--")) to.offers.push_back({name, option.does});
}

const OptionDescription* option_named(const VerbDescription& verb, const std::string& name) {
  for (const OptionDescription& option : verb.options)
    if (std::find(option.names.begin(), option.names.end(), name) != option.names.end())
      return &option;
  return nullptr;
}

// How many words that are known by their place stand before the last.
std::size_t places_before(const VerbDescription& verb, const Words& words) {
  std::size_t places = 0;
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const OptionDescription* const option = option_named(verb, words[i]);
    if (option != nullptr && !option->value.empty())
      ++i;
    else if (!words[i].starts_with('-'))
      ++places;
  }
  return places;
}

// What `quintet plan fields` takes.
void add_layers(Offers& to) {
  const FieldDescription plan = *fields_of_file("plan");
  for (const FieldDescription& layer : plan.fields)
    if (!layer.fields.empty()) to.offers.push_back({layer.key, layer.meaning});
  for (const char* const file :
       {"host", "network", "plan", "topology", "costs", "prices", "faults", "losses"})
    to.offers.push_back({file, ""});
}

void add_place(const VerbDescription& verb, const Words& words, Offers& to) {
  std::size_t before = places_before(verb, words);
  for (const OptionDescription& option : verb.options) {
    if (!option.by_place()) continue;
    if (before > 0 && !option.several) {
      --before;
      continue;
    }
    // Layers of the plan stand where plans do.
    if (verb.name == "plan" && words[1] == "fields" && option.names.front() == "plans")
      return add_layers(to);
    add_values(option, words.back(), to);
    to.files = to.files || option.words.empty();
    return;
  }
}

void add_verbs(const CommandLine& program, Offers& to) {
  for (const auto& verb : program.verbs) to.offers.push_back({verb->text.name, verb->text.does});
  for (const VerbText& verb : program.elsewhere) to.offers.push_back({verb.name, verb.does});
}

Offers all_offers(const CommandLine& program, const Words& words) {
  Offers all;
  if (words.size() < 2) {
    add_verbs(program, all);
    all.offers.push_back({"--help", "Print what there is"});
    all.offers.push_back({"--version", "Print what this build is"});
    return all;
  }
  if (words.front() == "help") {
    if (words.size() == 2) add_verbs(program, all);
    return all;
  }
  const auto verb = description_of_verb(program, words.front());
  if (!verb) return all;
  const OptionDescription* const before = option_named(*verb, words[words.size() - 2]);
  if (before != nullptr && !before->by_place() && !before->value.empty())
    add_values(*before, words.back(), all);
  else if (words.back().starts_with('-'))
    add_options(*verb, all);
  else
    add_place(*verb, words, all);
  return all;
}

}  // namespace

Offers offers_for(const CommandLine& program, const Words& words) {
  Offers all = all_offers(program, words);
  const std::string begin = words.empty() ? "" : words.back();
  std::erase_if(all.offers, [&](const Offer& each) { return !each.word.starts_with(begin); });
  return all;
}

std::string offers_text(const Offers& offers) {
  std::string text;
  for (const Offer& each : offers.offers)
    text += each.word + (each.does.empty() ? "" : "\t" + each.does) + "\n";
  return text + (offers.files ? ":files\n" : ":none\n");
}

}  // namespace quintet
