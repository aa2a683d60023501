"""One file a group of verbs: each route parses what was asked, calls one verb of the engine and renders its answer."""
