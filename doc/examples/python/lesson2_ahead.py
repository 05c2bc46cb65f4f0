#!/usr/bin/env python3
import random

from board import run


def wins(board, column):
    won = board.play(column)
    board.unplay(column)
    return won


def choose(board):
    columns = board.free_columns()
    for column in columns:  # win at once
        if wins(board, column):
            return column
    safe = []
    for column in columns:  # never let the other player win at once
        board.play(column)
        if not any(wins(board, reply) for reply in board.free_columns()):
            safe.append(column)
        board.unplay(column)
    return random.choice(safe or columns)


run(choose)
