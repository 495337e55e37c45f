#include "sim/jobs/joint_world.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

namespace quintet {

namespace {

void mark_loaded(const CommunicationPrice& price, std::vector<bool>& loaded) {
  for (const PhaseLoad& phase : price.phases)
    for (const Usage& use : phase.uses) loaded[static_cast<std::size_t>(use.link)] = true;
}

std::vector<bool> loaded_links(const Communications& all) {
  std::vector<bool> loaded(all.links.size(), false);
  for (const auto& communicator : all.collectives)
    for (const auto& pattern : communicator)
      for (const CommunicationPrice& price : pattern) mark_loaded(price, loaded);
  for (const auto& pattern : all.messages)
    for (const CommunicationPrice& price : pattern) mark_loaded(price, loaded);
  for (const auto* prices : {&all.kernels, &all.copies.out, &all.copies.in})
    for (const CommunicationPrice& price : *prices) mark_loaded(price, loaded);
  return loaded;
}

class Joining {
 public:
  Joining(std::vector<CommunicatingJob>& jobs, std::size_t links, Folding folding)
      : jobs_(jobs), links_(links), folding_(folding) {
    joint_.loaded_by.resize(links);
    for (std::size_t job = 0; job < jobs.size(); ++job) {
      const std::vector<bool> loaded = loaded_links(jobs[job].communications);
      for (std::size_t link = 0; link < links; ++link)
        if (loaded[link]) joint_.loaded_by[link].push_back(static_cast<int>(job));
    }
  }

  JointWorld joined() {
    labels_.assign(links_, 0);
    for (std::size_t known = 0, found = 1; found > known;) {
      known = found;
      fold_all();
      found = tell_apart();
    }
    number_classes();
    for (std::size_t job = 0; job < jobs_.size(); ++job) renumber(job);
    return std::move(joint_);
  }

 private:
  bool shared(std::size_t link) const { return joint_.loaded_by[link].size() > 1; }

  void fold_all() {
    joint_.worlds.clear();
    for (CommunicatingJob& job : jobs_) {
      job.communications.futures = labels_;
      job.communications.futures.resize(job.communications.links.size(), 0);
      joint_.worlds.push_back(fold(*job.program, job.communications, folding_));
    }
  }

  // Shared links are alike that are alike to each of their jobs; returns how many labels there are.
  std::size_t tell_apart() {
    std::map<std::vector<std::int32_t>, std::int32_t> known;
    for (std::size_t link = 0; link < links_; ++link) {
      if (!shared(link)) continue;
      std::vector<std::int32_t> seen;
      for (const int job : joint_.loaded_by[link])
        seen.insert(seen.end(), {job, world(job).class_of_link[link]});
      labels_[link] =
          known.emplace(std::move(seen), static_cast<std::int32_t>(known.size()) + 1).first->second;
    }
    return known.size() + 1;
  }

  FoldedWorld& world(int job) { return joint_.worlds[static_cast<std::size_t>(job)]; }

  double capacity(int job, std::size_t link) const {
    return jobs_[static_cast<std::size_t>(job)].communications.links[link].capacity;
  }

  // Shared classes by their label, then each job's own.
  void number_classes() {
    std::map<std::pair<int, std::int32_t>, std::int32_t> known;
    joint_.class_of_link.assign(links_, -1);
    for (std::size_t link = 0; link < links_; ++link) {
      const std::vector<int>& by = joint_.loaded_by[link];
      if (by.empty()) continue;
      const auto key = shared(link) ? std::pair{-1, labels_[link]}
                                    : std::pair{by.front(), world(by.front()).class_of_link[link]};
      const auto [found, fresh] =
          known.emplace(key, static_cast<std::int32_t>(joint_.links.size()));
      joint_.class_of_link[link] = found->second;
      if (!fresh) {
        ++joint_.link_counts[static_cast<std::size_t>(found->second)];
        continue;
      }
      LinkShare share = jobs_[static_cast<std::size_t>(by.front())].communications.links[link];
      for (const int job : by) share.capacity = std::max(share.capacity, capacity(job, link));
      joint_.links.push_back(share);
      joint_.shown_links.push_back(id_at<LinkId>(link));
      joint_.link_counts.push_back(1);
      is_shared_.push_back(shared(link));
    }
  }

  // Puts the joint classes in the place of the job's own.
  void renumber(std::size_t job) {
    FoldedWorld& folded = joint_.worlds[job];
    std::vector<std::int32_t> number;
    std::vector<double> more;
    for (const LinkId shown : folded.shown_links) {
      assert(shown.index() < links_);
      number.push_back(joint_.class_of_link[shown.index()]);
      more.push_back(joint_.links[static_cast<std::size_t>(number.back())].capacity /
                     capacity(static_cast<int>(job), shown.index()));
    }
    const auto renumber_uses = [&](std::vector<Usage>& uses) {
      for (Usage& use : uses) {
        const auto own = static_cast<std::size_t>(use.link);
        if (more[own] != 1.0) use.per_unit = on_grid(use.per_unit * more[own]);
        use.link = number[own];
      }
      std::sort(uses.begin(), uses.end(),
                [](const Usage& one, const Usage& other) { return one.link < other.link; });
    };
    for (FoldedPrice& price : folded.prices) {
      for (PhaseLoad& phase : price.price.phases) renumber_uses(phase.uses);
      renumber_uses(price.whole);
      for (const Usage& use : price.whole)
        if (is_shared_[static_cast<std::size_t>(use.link)]) price.undisturbed = false;
    }
    folded.links = joint_.links;
    folded.class_of_link = joint_.class_of_link;
    folded.shown_links = joint_.shown_links;
    folded.link_counts = joint_.link_counts;
    folded.presumed_slack.assign(joint_.links.size(), false);
  }

  std::vector<CommunicatingJob>& jobs_;
  std::size_t links_;
  Folding folding_;
  JointWorld joint_;
  std::vector<std::int32_t> labels_;  // per link; 0: not shared
  std::vector<bool> is_shared_;       // per joint class
};

}  // namespace

JointWorld joint_world(std::vector<CommunicatingJob>& jobs, std::size_t links, Folding folding) {
  return Joining(jobs, links, folding).joined();
}

}  // namespace quintet
