"""Records of test runs: read strictly, signed, held against a commit, combined, reported, and used to judge claims."""
