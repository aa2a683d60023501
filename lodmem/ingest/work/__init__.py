"""Background work: one loop over the store's durable queue, in the caller's thread or in one of its own."""
