// As much of XML as drawings and pages use, read by what wrote no line of them.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace quintet::test {

struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  // directly inside it, escapes undone
};

// In the order in which they begin. What is not well-formed fails the test: tags that do not match,
// attributes without quotes or given twice, a bare & or <, entities that XML has not.
std::vector<XmlElement> xml_elements(const std::string& document);

// Numbers that elements have as this attribute.
std::vector<double> values(const std::vector<XmlElement>& elements, const std::string& attribute);

}  // namespace quintet::test
