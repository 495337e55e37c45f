#include "sim/explain/breakdown_report.h"
#include "sim/json/json_value.h"
#include "traces/report/diagnosis_report.h"

namespace quintet {

namespace {

using Json = JsonValue;

Json times_json(const RankTimes& times) {
  const std::vector<Named<RankBreakdown>> one{{"", times.breakdown}};
  Json json = Json::parse(breakdown_json(one))["plans"].elements().front();
  json.erase("name");
  json.update({{"launch_gaps", times.launch_gaps.picoseconds},
               {"host_work", times.host_work.picoseconds},
               {"kernel_wait", times.kernel_wait.picoseconds},
               {"unexplained", times.unexplained.picoseconds},
               {"communicating", times.communicating.picoseconds},
               {"hidden", times.hidden.picoseconds},
               {"overlap", times.overlap()}});
  return json;
}

class DiagnosisJson {
 public:
  explicit DiagnosisJson(const Diagnosis& diagnosis) : of_(diagnosis) {}

  Json whole() const {
    return {{"schema_version", 1},
            {"unit", "ps"},
            {"name", of_.name},
            {"step", of_.step.picoseconds},
            {"findings", findings()},
            {"mean", times_json(of_.mean)},
            {"ranks", ranks()},
            {"collectives", collectives()},
            {"stragglers", stragglers()},
            {"slow_places", slow_places()},
            {"rank_imbalance", imbalance(of_.rank_imbalance)},
            {"stage_imbalance", imbalance(of_.stage_imbalance)},
            {"critical_path", path()},
            {"remarks", of_.remarks}};
  }

 private:
  int rank(std::int32_t index) const {
    return of_.ranks[static_cast<std::size_t>(index)].breakdown.rank.value;
  }

  Json findings() const {
    Json all = Json::array();
    for (const Finding& finding : of_.findings) {
      Json ranks = Json::array();
      for (const Rank each : finding.ranks) ranks.push_back(each.value);
      all.push_back({{"kind", name_of(finding.kind)},
                     {"cost", finding.cost.picoseconds},
                     {"ranks", ranks},
                     {"hosts", finding.hosts},
                     {"group", finding.group},
                     {"cause", finding.cause},
                     {"evidence", finding.evidence},
                     {"remedy", finding.remedy}});
    }
    return all;
  }

  Json ranks() const {
    Json all = Json::array();
    for (std::size_t i = 0; i < of_.ranks.size(); ++i) {
      Json json = times_json(of_.ranks[i]);
      json["computing"] = computing(of_.computing[i]);
      const RankLaunches& launches = of_.launches[i];
      json["launches"] = {{"gaps", launches.gaps.picoseconds},
                          {"count", launches.count},
                          {"longest", launches.longest.picoseconds},
                          {"kernels", launches.kernels},
                          {"mean_kernel", launches.mean_kernel.picoseconds},
                          {"meanwhile", launches.meanwhile},
                          {"meanwhile_time", launches.meanwhile_time.picoseconds}};
      all.push_back(std::move(json));
    }
    return all;
  }

  static Json computing(const RankComputing& computing) {
    Json names = Json::array();
    for (const NamedComputing& name : computing.names)
      names.push_back({{"name", name.name},
                       {"count", name.count},
                       {"time", name.time.picoseconds},
                       {"expected", name.expected.picoseconds}});
    Json json{{"time", computing.time.picoseconds},
              {"expected", computing.expected.picoseconds},
              {"slowness", computing.slowness},
              {"names", names}};
    if (computing.ran >= 0) json["ran"] = computing.ran;
    return json;
  }

  Json late(const LastMember& member) const {
    return {{"rank", rank(member.rank)},
            {"times", member.times},
            {"after_next", member.after_next.picoseconds},
            {"waited", member.waited.picoseconds}};
  }

  Json collectives() const {
    Json all = Json::array();
    for (const GroupCollectives& group : of_.collectives) {
      Json last = Json::array();
      for (const LastMember& member : group.last) last.push_back(late(member));
      Json json{{"group", of_.group_names[static_cast<std::size_t>(group.group)]},
                {"kind", name_of(group.kind)},
                {"members", group.members},
                {"count", group.count},
                {"bytes", group.bytes.value},
                {"moving", group.moving.picoseconds},
                {"waiting", group.waiting.picoseconds},
                {"bus_bandwidth", group.bus_bandwidth.value},
                {"last", last}};
      if (group.fit)
        json["fit"] = {{"latency_s", group.fit->latency.value},
                       {"seconds_a_byte", group.fit->seconds_a_byte},
                       {"half_size", group.fit->half_size().value}};
      all.push_back(std::move(json));
    }
    return all;
  }

  Json stragglers() const {
    Json all = Json::array();
    for (const Straggler& each : of_.stragglers) {
      Json json = late(each.late);
      json.update({{"cause", name_of(each.cause)},
                   {"computing", each.computing.picoseconds},
                   {"gaps", each.gaps.picoseconds},
                   {"communication", each.communication.picoseconds}});
      all.push_back(std::move(json));
    }
    return all;
  }

  Json slow_places() const {
    Json all = Json::array();
    for (const SlowPlace& place : of_.slow_places)
      all.push_back({{"names", place.names},
                     {"count", place.count},
                     {"bytes", place.bytes.value},
                     {"time", place.time.picoseconds},
                     {"expected", place.expected.picoseconds}});
    return all;
  }

  static Json imbalance(const Imbalance& imbalance) {
    return {{"mean", imbalance.mean.picoseconds},
            {"most", imbalance.most.picoseconds},
            {"at", imbalance.at},
            {"ratio", imbalance.ratio()}};
  }

  Json path() const {
    Json shares = Json::array(), names = Json::array();
    for (const PathShare& share : of_.path)
      shares.push_back(
          {{"name", share.name}, {"time", share.time.picoseconds}, {"pieces", share.pieces}});
    for (const PathName& name : of_.path_names)
      names.push_back({{"name", name.name},
                       {"kind", name_of(name.kind)},
                       {"time", name.time.picoseconds},
                       {"pieces", name.pieces}});
    return {{"shares", shares}, {"names", names}};
  }

  const Diagnosis& of_;
};

}  // namespace

std::string diagnosis_json(const Diagnosis& diagnosis) {
  return DiagnosisJson(diagnosis).whole().dump(2) + "\n";
}

}  // namespace quintet
