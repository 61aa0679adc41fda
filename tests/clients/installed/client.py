"""Uses the installed Python package: client.py MODEL"""
import sys

import heed

try:
    result = heed.Translator(sys.argv[1]).translate(["We see a dog."])[0]
    print(f"{heed.version()}: {result.text} {len(result.attention)} x {len(result.attention[0])} {heed.library_path()}")
except heed.HeedError as error:
    print(f"error: {error}")
    sys.exit(1)
