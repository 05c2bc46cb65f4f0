"""The board of Connect-4, for programs that play."""

import os
import sys


class Board:
    """A position. Columns count from 0 at the left, rows from 0 at the bottom. The players are 1 and -1."""

    def __init__(self, width=7, height=6, connect=4):
        self.width, self.height, self.connect = width, height, connect
        self.columns = [[] for _ in range(width)]  # the discs in each column, the lowest first
        self.next_player = 1
        self.letters = {1: "R", -1: "Y", 0: "."}  # for print(board)

    def get_width(self):
        return self.width

    def get_height(self):
        return self.height

    def get_connect(self):
        """How many discs in a line win."""
        return self.connect

    def get_next_player(self):
        return self.next_player

    def get_token(self, x, y):
        """The player whose disc is in this cell, or 0 if it is empty or not on the board."""
        if 0 <= x < self.width and 0 <= y < len(self.columns[x]):
            return self.columns[x][y]
        return 0

    def free_columns(self):
        """The columns that are not full."""
        return [x for x in range(self.width) if len(self.columns[x]) < self.height]

    def play(self, column):
        """Drop the next player's disc, and pass the turn. True if the disc wins."""
        if len(self.columns[column]) >= self.height:
            raise ValueError(f"column {column} is full (columns count from 0)")
        self.columns[column].append(self.next_player)
        self.next_player = -self.next_player
        return self._wins(column)

    def unplay(self, column):
        """Take back the column's top disc, and the turn."""
        self.columns[column].pop()
        self.next_player = -self.next_player

    def is_won(self):
        """Whether the player who dropped the last disc has a line. For any position, however it came about."""
        return any(column and column[-1] == -self.next_player and self._wins(x) for x, column in enumerate(self.columns))

    def is_full(self):
        return not self.free_columns()

    def _wins(self, x):
        """Whether the top disc of a column is in a line."""
        y = len(self.columns[x]) - 1
        player = self.columns[x][y]
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            length = 1
            for step in (1, -1):
                n = step
                while self.get_token(x + n * dx, y + n * dy) == player:
                    length, n = length + 1, n + step
            if length >= self.connect:
                return True
        return False

    def __str__(self):
        rows = ([self.letters[self.get_token(x, y)] for x in range(self.width)] for y in reversed(range(self.height)))
        return "\n".join(" ".join(row) for row in rows)


def run(choose):
    """Play with c4hat: choose takes a Board and returns a column, from 0."""
    width, height = map(int, os.environ.get("C4HAT_BOARD", "7x6").split("x"))
    connect = int(os.environ.get("C4HAT_CONNECT", "4"))
    for line in sys.stdin:
        board = Board(width, height, connect)
        for digit in line.strip():
            board.play(int(digit) - 1)
        second = "B" if (width, height) == (8, 8) else "Y"
        own, other = ("R", second) if os.environ.get("C4HAT_PLAYER", "red") == "red" else (second, "R")
        board.letters = {board.next_player: own, -board.next_player: other, 0: "."}
        free = board.free_columns()
        column = choose(board)
        if isinstance(column, float) or column not in free:
            sys.exit(f"choose returned {column!r}: it must return one of {free}")
        print(column + 1, flush=True)
