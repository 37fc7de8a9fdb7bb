"""Programs over finitely many unknown values, decided by search (`spec/57-search.md`)."""
