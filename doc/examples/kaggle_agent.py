"""An agent as Kaggle's ConnectX competition wants it: it wins or blocks if one disc is enough."""

import random


def lines_with(board, column, mark, config):
    """How many discs of this mark a disc in this column would be in a line with."""
    row = max(r for r in range(config.rows) if board[r * config.columns + column] == 0)

    def run(dx, dy):
        n, x, y = 0, column + dx, row + dy
        while 0 <= x < config.columns and 0 <= y < config.rows and board[y * config.columns + x] == mark:
            n, x, y = n + 1, x + dx, y + dy
        return n

    return 1 + max(run(dx, dy) + run(-dx, -dy) for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)))


def my_agent(observation, configuration):
    open_columns = [c for c in range(configuration.columns) if observation.board[c] == 0]
    for mark in observation.mark, 3 - observation.mark:
        for column in open_columns:
            if lines_with(observation.board, column, mark, configuration) >= configuration.inarow:
                return column
    return random.choice(open_columns)
