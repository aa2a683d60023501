"""The command line: parses, calls the engine, renders. No logic of the product lives here."""
