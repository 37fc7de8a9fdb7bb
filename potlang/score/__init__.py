"""The metrics of DAG-MATH samples: tallies, intervals, tables, figures."""
