// A temporary folder in which every file is good, until a test spoils one: plan.json, model.json,
// machine.json and costs.json are GPT-2 on one DGX A100; chain_plan.json, chain_model.json,
// chain.json and chain_costs.json the toy pipeline on four ideal hosts joined link by link.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace quintet::test {

class World {
 public:
  World();
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  const std::filesystem::path& folder() const { return folder_; }

  void write(const std::string& file, std::string_view content) const;
  std::string read(const std::string& file) const;
  // The first `old` in the file gives way; a test that finds none has failed.
  void replace(const std::string& file, const std::string& old, const std::string& by) const;
  void keep_first(const std::string& file, std::uintmax_t bytes) const;
  // So long and full of holes: it takes no room on the disk.
  void write_sparse(const std::string& file, std::string_view begin, std::uintmax_t bytes) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace quintet::test
