"""Has models write solutions in steps: repaired, looked at again, voted on, sampled over data sets."""
