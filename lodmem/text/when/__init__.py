"""The parts of `lodmem.text.dates`: wall clock, spans, phrases in English and in other languages."""
