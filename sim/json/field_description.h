// What a file may hold, as its own reader says: the reader is run over a file that records what it
// is asked for. Help, editors' schemas and documents are made from this, so that they cannot differ
// from what is read.
#pragma once

#include <limits>
#include <list>
#include <string>
#include <string_view>
#include <vector>

namespace quintet {

enum class FieldKind {
  text,
  truth,
  whole,
  number,
  size,
  time,
  bandwidth,
  flop_rate,
  power,
  price,
  word,            // one of `words`
  object,          // of `fields`
  object_or_file,  // the same, or a file's name
  list,            // of what the one entry of `fields` is
  named_texts,     // an object whose keys are anyone's and whose values are text
  other,
};

struct FieldDescription {
  std::string key;
  std::string meaning;
  FieldKind kind = FieldKind::other;
  bool required = false;
  double least = -std::numeric_limits<double>::infinity();  // of numbers
  double most = std::numeric_limits<double>::infinity();
  std::vector<std::string> words;
  std::string usual;  // JSON of what it is when it is left out; empty: nothing, or as others say
  std::list<FieldDescription> fields;
};

// By its key; null when there is none.
const FieldDescription* field_of(const FieldDescription& object, std::string_view key);

// While a reader runs over nothing: which of several branches it takes, and what it asked for.
struct RecordedField {
  FieldDescription is;
  int entered = 0, demanded = 0;  // objects: how often; fields: in how many of these
  int demanded_in = 0;            // the last of them
  std::list<RecordedField> fields;
};
struct FieldRecording {
  // A closed set gives the word with this number, modulo how many there are: of those called
  // "family", and of others.
  int family = 0, word = 0;
  bool has = true;  // what may be left out is there
  RecordedField root;
};
// What each entry of a recorded list is.
FieldDescription& only_entry(RecordedField& list);
// A pass per branch: as many words as the longest set has that a branch hangs on.
template <class Reads>
FieldRecording recorded(Reads reads) {
  constexpr int most_words = 7;
  FieldRecording recording;
  for (const bool has : {true, false})
    for (int branch = 0; branch < most_words * most_words; ++branch) {
      recording.family = branch % most_words;
      recording.word = branch / most_words;
      recording.has = has;
      reads(recording);
    }
  return recording;
}

// What all passes asked for together.
FieldDescription description_of(const RecordedField& recorded);

// "a whole number from 1 to 1024", "text", "one of tree, ring".
std::string kind_text(const FieldDescription& field);

}  // namespace quintet
