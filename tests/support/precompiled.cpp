// Nothing: its library is where the headers that all tests share are parsed (tests/CMakeLists.txt).
