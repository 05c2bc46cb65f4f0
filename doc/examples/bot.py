#!/usr/bin/env python3
import sys

def choose(moves):
    for column in "4352617":  # the middle is in most lines
        if moves.count(column) < 6:
            return column

for line in sys.stdin:
    print(choose(line.strip()), flush=True)
