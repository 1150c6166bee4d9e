"""The parts of test/runtests."""
