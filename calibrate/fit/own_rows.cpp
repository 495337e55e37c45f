#include "calibrate/fit/own_rows.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace quintet::calibrate {
namespace {

std::set<std::string> words_of(const std::string& name) {
  std::set<std::string> words;
  std::string word;
  for (const char letter : name + " ") {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
      word += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
      continue;
    }
    // As the driver calls cards: "Tesla V100-SXM2-32GB".
    if (word.size() == 4 && word.starts_with("SXM")) word.pop_back();
    if (!word.empty() && word != "NVIDIA" && word != "TESLA") words.insert(word);
    word.clear();
  }
  return words;
}

template <class Sample>
int keep_own(std::vector<Sample>& samples, const std::string& gpu, std::set<std::string>& others) {
  return static_cast<int>(std::erase_if(samples, [&](const Sample& each) {
    if (is_same_gpu(each.gpu, gpu)) return false;
    others.insert(each.gpu);
    return true;
  }));
}

}  // namespace

bool is_same_gpu(const std::string& row, const std::string& table) {
  const std::set<std::string> known = words_of(table);
  const std::set<std::string> words = words_of(row);
  return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    // How nccl-tests and the driver call memory, not the card.
    return known.contains(word) || word.starts_with("HBM");
  });
}

OwnRows own_rows(Measurements measurements, const std::string& gpu) {
  OwnRows rows;
  std::set<std::string> gpus;
  rows.others =
      keep_own(measurements.collectives, gpu, gpus) + keep_own(measurements.gemms, gpu, gpus) +
      keep_own(measurements.attentions, gpu, gpus) + keep_own(measurements.memories, gpu, gpus) +
      keep_own(measurements.launches, gpu, gpus) + keep_own(measurements.launch_gaps, gpu, gpus);
  rows.own = std::move(measurements);
  rows.other_gpus.assign(gpus.begin(), gpus.end());
  return rows;
}

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8, longest = 80;
  std::string text;
  for (std::size_t place = 0; place < std::min(most, names.size()); ++place)
    text += (text.empty() ? "" : "; ") + names[place].substr(0, longest);
  return names.size() > most ? text + "; ..." : text;
}

}  // namespace quintet::calibrate
