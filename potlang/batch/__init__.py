"""Many jobs: in shards with a manifest, by local processes, gone on with after any interruption."""
