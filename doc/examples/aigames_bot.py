#!/usr/bin/env python3
"""A bot as the AI Games' Four in a Row wants it: it plays the open column with the fewest discs."""

import sys

settings, field = {}, []
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["settings"]:
        settings[words[1]] = words[2]
    elif words[:3] == ["update", "game", "field"]:
        field = [row.split(",") for row in words[3].split(";")]
    elif words[:2] == ["action", "move"]:
        columns = [[row[c] for row in field] for c in range(int(settings["field_columns"]))]
        best = max(range(len(columns)), key=lambda c: columns[c].count("0"))
        print("place_disc", best, flush=True)
