#!/usr/bin/env python3
"""Let an agent of Kaggle's ConnectX competition play with c4hat.

kaggle.py AGENT.py: the agent is the last function in the file, such as
def my_agent(observation, configuration).
"""

import contextlib
import os
import sys


class Struct(dict):
    """Its items are attributes too."""

    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


def load(path):
    names = {"__name__": "agent", "__file__": path}
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), names)
    return [value for value in names.values() if callable(value)][-1]


def board_of(moves, columns, rows):
    """The cells from the left of the top row to the right of the bottom row."""
    board = [0] * (columns * rows)
    height = [0] * columns
    for ply, digit in enumerate(moves):
        column = int(digit) - 1
        board[(rows - 1 - height[column]) * columns + column] = 1 + ply % 2
        height[column] += 1
    return board


def main():
    answers = sys.stdout
    columns, rows = map(int, os.environ.get("C4HAT_BOARD", "7x6").split("x"))
    configuration = Struct(
        columns=columns, rows=rows, inarow=int(os.environ.get("C4HAT_CONNECT", "4")), timeout=10, actTimeout=2
    )
    with contextlib.redirect_stdout(sys.stderr):  # an agent may print
        agent = load(sys.argv[1])
        for line in sys.stdin:
            moves = line.strip()
            observation = Struct(
                board=board_of(moves, columns, rows), mark=1 + len(moves) % 2, step=len(moves), remainingOverageTime=60
            )
            arguments = (observation, configuration)[: agent.__code__.co_argcount]
            print(agent(*arguments) + 1, file=answers, flush=True)


if len(sys.argv) != 2:
    sys.exit("usage: kaggle.py AGENT.py")
main()
