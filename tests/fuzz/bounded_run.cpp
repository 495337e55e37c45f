// bounded_run <mutations> <folder or file>...: gives a reader every seed, then a fixed number of
// mutations of them, the same ones on every machine. No clang needed.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;
using Seeds = std::vector<std::string>;
using Random = std::mt19937_64;

// Modulo, since the distributions of the standard library differ between libraries.
std::size_t below(Random& random, std::size_t limit) {
  return limit == 0 ? 0 : static_cast<std::size_t>(random() % limit);
}

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Folders of seeds hold README.md files too.
bool is_seed(const fs::path& file) {
  constexpr std::array<std::string_view, 5> seeds{".json", ".bin", ".txt", ".jsonl", ".csv"};
  return std::find(seeds.begin(), seeds.end(), file.extension().string()) != seeds.end();
}

Seeds read_seeds(const std::vector<fs::path>& places) {
  std::vector<fs::path> files;
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place)) files.push_back(place);
    if (!fs::is_directory(place)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(place))
      if (entry.is_regular_file() && is_seed(entry.path()))
        files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  Seeds seeds;
  std::transform(files.begin(), files.end(), std::back_inserter(seeds), content_of);
  return seeds;
}

constexpr std::array<std::string_view, 30> spices{
    "{",       "}",    "[",       "]",        ",",    ":",         "\"",      "\\",
    "null",    "true", "-1",      "0",        "1",    "1e308",     "1e999",   "2147483647",
    "NaN",     "-0.0", "0.1",     "\"\"",     "{}",   "[]",        "\"0 B\"", "\"-1 GB/s\"",
    "\"1 s\"", "\xff", "\\u0000", "99999999", " GiB", "4294967296"};

std::string_view spice(Random& random) {
  return spices[below(random, spices.size())];
}

// A run of digits becomes another number: most limits of a reader are on numbers.
void replace_number(std::string& text, Random& random) {
  const std::size_t start = text.find_first_of("0123456789", below(random, text.size()));
  if (start == std::string::npos) return;
  const std::size_t end = text.find_first_not_of("0123456789", start);
  text.replace(start, end == std::string::npos ? end : end - start, spice(random));
}

void mutate(std::string& text, const Seeds& seeds, Random& random) {
  const std::size_t at = below(random, text.size() + 1);
  const std::size_t length = below(random, 16);
  const std::string& other = seeds[below(random, seeds.size())];
  switch (below(random, 8)) {
    case 0:  // flip a bit
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(random, 8)));
      return;
    case 1:  // truncate
      return text.resize(at);
    case 2:
      text.insert(at, spice(random));
      return;
    case 3:
      text.erase(at, length);
      return;
    case 4:  // repeat a piece
      text.insert(at, text.substr(at, 8 * length));
      return;
    case 5:  // go on with another seed
      text = text.substr(0, at) + other.substr(below(random, other.size() + 1));
      return;
    case 6:  // any bytes
      text.insert(at, length, static_cast<char>(below(random, 256)));
      return;
    default:
      return replace_number(text, random);
  }
}

std::string mutation(const Seeds& seeds, Random& random) {
  std::string text = seeds[below(random, seeds.size())];
  for (std::size_t changes = 1 + below(random, 4); changes > 0; --changes)
    mutate(text, seeds, random);
  return text;
}

// Kept on disk while it is read, so that a crash leaves what caused it. The file stays open, since
// opening it for every input takes longer than reading the input.
class Input {
 public:
  explicit Input(fs::path file)
      : file_(std::move(file)), handle_(open(file_.c_str(), O_CREAT | O_TRUNC | O_RDWR, 0644)) {
    if (handle_ < 0) throw std::runtime_error("cannot write " + file_.string());
  }
  ~Input() { close(handle_); }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  // False when the reader threw.
  bool read(const std::string& text) {
    const bool kept = pwrite(handle_, text.data(), text.size(), 0) >= 0 &&
                      ftruncate(handle_, static_cast<off_t>(text.size())) == 0;
    if (!kept) throw std::runtime_error("cannot write " + file_.string());
    try {
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
      return true;
    } catch (const std::exception& exception) {
      std::cerr << exception.what() << "; the input is " << file_ << "\n";
      return false;
    }
  }

  void forget() const { fs::remove(file_); }

 private:
  fs::path file_;
  int handle_;
};

int run(std::size_t mutations, const Seeds& seeds, const fs::path& kept) {
  std::cout << seeds.size() << " seeds, " << mutations << " mutations; a crash leaves its input in "
            << kept << std::endl;
  Random random(2024);
  Input input(kept);
  for (const std::string& seed : seeds)
    if (!input.read(seed)) return EXIT_FAILURE;
  for (std::size_t i = 0; i < mutations; ++i)
    if (!input.read(mutation(seeds, random))) return EXIT_FAILURE;
  input.forget();
  return EXIT_SUCCESS;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return std::cerr << "usage: bounded_run MUTATIONS FOLDER...\n", EXIT_FAILURE;
  const Seeds seeds = read_seeds({words + 2, words + count});
  if (seeds.empty()) return std::cerr << "no seeds found\n", EXIT_FAILURE;
  return run(std::stoul(words[1]), seeds, fs::path(words[0]).concat(".input"));
}
