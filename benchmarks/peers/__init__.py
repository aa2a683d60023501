"""What a user would pick instead, measured beside the product: same memories, same vectors, one harness.

Each peer runs in an environment of its own, made from its pinned requirements, in its own process, which reads memories and
questions with their vectors from disk and writes ranked ids and timings. It needs nothing of ours.
"""
