"""`python -m lodmem`: the same as the command `lodmem`."""

from lodmem.cli.main import main

if __name__ == "__main__":
    main()
