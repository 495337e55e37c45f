#include "gui/scenario/session_file.h"

#include "sim/base/text_file.h"
#include "sim/command/output_files.h"
#include "sim/json/field_list.h"

namespace quintet {

template <class File>
void fields(File& file, Faults& faults) {
  file.field({"slow", "parts with a share of their rate left, as behind --slow"}, faults.slow);
  file.field({"fail", "parts that are dead, as behind --fail"}, faults.fail);
  file.field({"delay", "parts that are late, as behind --delay"}, faults.delay);
  file.field({"hold", "hosts whose messages are held, as behind --hold"}, faults.hold);
}

namespace gui {

template <class File>
void fields(File& file, Setting& setting) {
  file.required({"field", "as before the = of --set: topology.nics"}, setting.path);
  file.required({"value", "as behind it: 4"}, setting.value);
}

template <class File>
void fields(File& file, Scenario& scenario) {
  constexpr Between<int> hosts{1, 1 << 20};
  file.required({"model", "a file, or a shipped model's name"}, scenario.model);
  file.required({"topology", "a file, or a shipped machine's name"}, scenario.topology);
  file.required({"plan", "a file, or a shipped plan's name"}, scenario.plan);
  file.unusual({"costs", "a file, or a shipped cost table's name"}, scenario.costs, "");
  file.unusual({"stack", "a file, or a shipped stack's name"}, scenario.stack, "");
  file.field({"hosts", "so many in place of the topology's"}, scenario.hosts, hosts);
  file.field({"set", "fields with another value than their files'"}, scenario.settings);
  file.field({"faults", "what is wrong with the machine"}, scenario.faults);
}

template <class File>
void fields(File& file, KeptScenario& kept) {
  file.required({"name", "what people call it"}, kept.name);
  file.required({"scenario", "what is asked"}, kept.scenario);
}

template <class File>
void fields(File& file, View& view) {
  file.field({"page", "the page in front"}, view.page);
  file.field({"appearance", "light, dark or high-contrast"}, view.appearance);
  file.unusual({"state", "of docks and splitters, as Qt writes it in base 64"}, view.state, "");
}

namespace {

struct SessionFile {
  int version = 1;
  Session session;
};

template <class File>
void fields(File& file, SessionFile& whole) {
  Session& session = whole.session;
  file.required({"quintet_session", "the format's version: 1"}, whole.version, Between{1, 1});
  file.required({"scenario", "what is asked"}, session.scenario);
  file.field({"kept", "scenarios put aside, to compare with"}, session.kept);
  file.unusual({"recording", "a trace file to hold beside the prediction"}, session.recording, "");
  file.field({"view", "how the window looks"}, session.view);
}

}  // namespace

Result<Session> parse_session(const std::string& text, const std::string& where) {
  const Result<nlohmann::json> json = parse_json(text, where);
  if (!json) return json.error();
  JsonObject root(*json, where);
  SessionFile whole;
  FieldReader reader(root);
  fields(reader, whole);
  if (!root.failed()) root.refuse_unknown_keys();
  if (root.failed()) return *root.error();
  return whole.session;
}

Result<Session> read_session(const std::filesystem::path& file) {
  const Result<std::string> text = read_text_file(file);
  if (!text) return text.error();
  return parse_session(*text, file.string());
}

std::string session_text(const Session& session) {
  SessionFile whole{1, session};
  FieldWriter writer(Digits::for_people);
  fields(writer, whole);
  return std::move(writer).json().dump(2) + "\n";
}

std::optional<Error> write_session(const std::filesystem::path& file, const Session& session) {
  return write_file(file, session_text(session));
}

}  // namespace gui
}  // namespace quintet
