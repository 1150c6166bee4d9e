# The documents travel with the sources.
EXTRA_DIST += doc
