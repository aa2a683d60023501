"""Evaluation on public data through the product's own search: data sets, metrics, run, report."""
