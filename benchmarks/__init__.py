"""What the project's figures of speed are printed from. Never imported by the product."""
