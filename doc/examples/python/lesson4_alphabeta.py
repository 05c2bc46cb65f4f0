#!/usr/bin/env python3
import time

from board import run

SECONDS = 0.5  # for a move
table = {}  # what is known of a position: its value, and whether it is exact or a bound


class OutOfTime(Exception):
    pass


def middle_first(board):
    return sorted(board.free_columns(), key=lambda column: abs(2 * column - board.get_width() + 1))


def score(board, depth, alpha, beta):
    """As in lesson 3, but exact only between alpha and beta: outside, another column is chosen anyway."""
    if depth == 0:
        return 0
    if time.perf_counter() > deadline:
        raise OutOfTime
    key = depth, tuple(map(tuple, board.columns))
    low, high = table.get(key, (-100, 100))
    if low >= beta or low == high:
        return low
    if high <= alpha:
        return high
    start, best = alpha, -100
    for column in middle_first(board):
        won = board.play(column)
        try:
            value = depth if won else -score(board, depth - 1, -beta, -alpha)
        finally:
            board.unplay(column)
        best, alpha = max(best, value), max(alpha, value)
        if alpha >= beta:
            break
    best = 0 if best == -100 else best
    table[key] = (best if best > start else low, best if best < beta else high)
    return best


def choose(board):
    """Look deeper and deeper until the time is over."""
    global deadline
    deadline = time.perf_counter() + SECONDS
    table.clear()
    best = middle_first(board)[0]
    free = board.get_width() * board.get_height() - sum(map(len, board.columns))
    try:
        for depth in range(1, free + 1):
            values = {}
            for column in middle_first(board):
                won = board.play(column)
                try:
                    values[column] = depth if won else -score(board, depth - 1, -100, 100)
                finally:
                    board.unplay(column)
            best = max(values, key=values.get)
            if values[best] > 0:
                break
    except OutOfTime:
        pass
    return best


run(choose)
