"""What sits behind the model ports: the tokenizer that counts, and the embedders. Importing it loads no model."""
