#!/usr/bin/perl
# Writes unicode_ranges.cpp from the Unicode data that this Perl carries:
#   perl engine/data/make_unicode_ranges.pl >engine/data/unicode_ranges.cpp
use strict;
use warnings;
use Unicode::UCD;

sub ranges {
  my ($class) = @_;
  my (@found, $first);
  for my $point (0 .. 0x110000) {
    my $surrogate = $point >= 0xD800 && $point <= 0xDFFF;
    my $inside = !$surrogate && $point <= 0x10FFFF && chr($point) =~ /\p{$class}/;
    if ($inside && !defined $first) { $first = $point }
    if (!$inside && defined $first) {
      push @found, sprintf("{0x%X, 0x%X}", $first, $point - 1);
      undef $first;
    }
  }
  return @found;
}

sub table {
  my ($name, $class) = @_;
  my @found = ranges($class);
  print "constexpr CodePointRange ${name}_table[] = {\n";
  while (my @row = splice @found, 0, 5) { print "    ", join(", ", @row), ",\n" }
  print "};\n\n";
}

my $version = Unicode::UCD::UnicodeVersion();
print "// Written by make_unicode_ranges.pl from Unicode $version. Do not edit.\n";
print "// clang-format off\n";
print "#include \"engine/data/unicode_ranges.h\"\n\nnamespace quintet {\nnamespace {\n\n";
table("letter", "L");
table("number", "N");
table("space", "White_Space");
print "}  // namespace\n\n";
print "std::span<const CodePointRange> ${_}_ranges() {\n  return ${_}_table;\n}\n\n"
  for qw(letter number space);
print "}  // namespace quintet\n";
