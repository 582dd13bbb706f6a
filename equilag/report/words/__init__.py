"""Sentences and figures in words, made once for every output."""
