"""Facts from tables (`spec/12-sources.md`): files and databases read with DuckDB."""
