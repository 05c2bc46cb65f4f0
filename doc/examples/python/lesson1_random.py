#!/usr/bin/env python3
import random

from board import run


def choose(board):
    return random.choice(board.free_columns())


run(choose)
