"""The playground: a page with an editor over the verbs of the HTTP interface (`spec/91-playground.md`)."""
