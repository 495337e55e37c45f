// A library without the module's symbol.
extern "C" int quintet_nothing() {
  return 0;
}
