"""Reports: each a list of blocks, made of an answer's figures and the words for them."""
