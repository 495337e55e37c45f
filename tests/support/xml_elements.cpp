#include "tests/support/xml_elements.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

namespace quintet::test {
namespace {

class Reader {
 public:
  explicit Reader(const std::string& document) : text_(document) {}

  std::vector<XmlElement> all() {
    if (text_.starts_with("<!DOCTYPE html>")) at_ = 15;
    while (at_ < text_.size() && !failed_) {
      if (text_[at_] != '<')
        content();
      else if (text_.compare(at_, 2, "</") == 0)
        end_tag();
      else
        tag();
    }
    if (!open_.empty()) fail("<" + all_[open_.back()].name + "> is not closed");
    return std::move(all_);
  }

 private:
  void fail(const std::string& what) {
    if (!failed_) ADD_FAILURE() << what << " at " << at_ << ": " << text_.substr(at_, 80);
    failed_ = true;
  }

  std::string unescaped(const std::string& raw) {
    static const std::map<std::string, std::string> entities{
        {"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}};
    std::string plain;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] != '&') {
        plain += raw[i];
        continue;
      }
      const std::size_t end = raw.find(';', i);
      const auto entity =
          end == std::string::npos ? entities.end() : entities.find(raw.substr(i, end - i + 1));
      if (entity == entities.end()) return fail("a bare &"), plain;
      plain += entity->second;
      i = end;
    }
    return plain;
  }

  void content() {
    const std::size_t end = std::min(text_.find('<', at_), text_.size());
    const std::string inside = unescaped(text_.substr(at_, end - at_));
    if (!open_.empty())
      all_[open_.back()].text += inside;
    else if (inside.find_first_not_of(" \n") != std::string::npos)
      fail("text outside of all elements");
    at_ = end;
  }

  void end_tag() {
    const std::size_t end = text_.find('>', at_);
    const std::string name = text_.substr(at_ + 2, end - at_ - 2);
    if (open_.empty() || all_[open_.back()].name != name) return fail("</" + name + ">");
    open_.pop_back();
    at_ = end + 1;
  }

  std::string word() {
    const std::size_t from = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '-' || text_[at_] == ':'))
      ++at_;
    return text_.substr(from, at_ - from);
  }

  void attribute(XmlElement& element) {
    const std::string key = word();
    if (key.empty() || text_.compare(at_, 2, "=\"") != 0) return fail("no attribute");
    const std::size_t end = text_.find('"', at_ + 2);
    const std::string raw = text_.substr(at_ + 2, end - at_ - 2);
    if (raw.find('<') != std::string::npos) fail("a < in an attribute");
    if (!element.attributes.emplace(key, unescaped(raw)).second) fail(key + " is there twice");
    at_ = end + 1;
  }

  void tag() {
    ++at_;
    XmlElement element;
    element.name = word();
    if (element.name.empty()) return fail("a bare <");
    while (!failed_ && at_ < text_.size() && text_[at_] == ' ') {
      ++at_;
      attribute(element);
    }
    if (failed_) return;
    const bool closed = text_.compare(at_, 2, "/>") == 0;
    if (!closed && text_.compare(at_, 1, ">") != 0) return fail("no end of the tag");
    at_ += closed ? 2 : 1;
    all_.push_back(std::move(element));
    if (!closed) open_.push_back(all_.size() - 1);
  }

  const std::string& text_;
  std::size_t at_ = 0;
  bool failed_ = false;
  std::vector<XmlElement> all_;
  std::vector<std::size_t> open_;
};

}  // namespace

std::vector<XmlElement> xml_elements(const std::string& document) {
  return Reader(document).all();
}

std::vector<double> values(const std::vector<XmlElement>& elements, const std::string& attribute) {
  std::vector<double> numbers;
  for (const XmlElement& element : elements)
    if (const auto found = element.attributes.find(attribute); found != element.attributes.end())
      numbers.push_back(std::stod(found->second));
  return numbers;
}

}  // namespace quintet::test
