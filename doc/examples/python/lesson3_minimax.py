#!/usr/bin/env python3
import random

from board import run

DEPTH = 4  # discs


def score(board, depth):
    """What the position is worth to the player who moves: more than 0 wins, less than 0 loses."""
    if depth == 0:
        return 0
    best = None
    for column in board.free_columns():
        if board.play(column):
            value = depth  # the sooner, the better
        else:
            value = -score(board, depth - 1)
        board.unplay(column)
        if best is None or value > best:
            best = value
    return 0 if best is None else best  # a full board is a draw


def choose(board):
    values = {}
    for column in board.free_columns():
        values[column] = DEPTH if board.play(column) else -score(board, DEPTH - 1)
        board.unplay(column)
    best = max(values.values())
    return random.choice([column for column in values if values[column] == best])


run(choose)
