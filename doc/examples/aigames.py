#!/usr/bin/env python3
"""Let a bot of the AI Games' Four in a Row play with c4hat.

aigames.py COMMAND...: the bot reads lines such as "settings your_botid 1", "update game field
0,0,...;..." and "action move 10000", and answers "place_disc 3", a column counted from 0.
"""

import os
import subprocess
import sys

TIME = 10_000  # milliseconds for a move, as c4hat's own limit


def field_of(moves, columns, rows):
    """The rows from the top, as 0,0,1;... with 1 for the side that began."""
    cells = [[0] * columns for _ in range(rows)]
    height = [0] * columns
    for ply, digit in enumerate(moves):
        column = int(digit) - 1
        cells[rows - 1 - height[column]][column] = 1 + ply % 2
        height[column] += 1
    return ";".join(",".join(map(str, row)) for row in cells)


def main():
    columns, rows = map(int, os.environ.get("C4HAT_BOARD", "7x6").split("x"))
    bot = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def tell(*lines):
        for line in lines:
            print(line, file=bot.stdin, flush=True)

    before = None
    for line in sys.stdin:
        moves = line.strip()
        if before is None or len(moves) < len(before):  # a new round: who begins is bot 1
            me = 1 + len(moves) % 2
            tell(
                f"settings timebank {TIME}",
                f"settings time_per_move {TIME}",
                "settings player_names player1,player2",
                f"settings your_bot player{me}",
                f"settings your_botid {me}",
                f"settings field_columns {columns}",
                f"settings field_rows {rows}",
            )
        before = moves
        tell(
            f"update game round {len(moves) + 1}",
            f"update game field {field_of(moves, columns, rows)}",
            f"action move {TIME}",
        )
        answer = bot.stdout.readline().split()
        if len(answer) != 2 or answer[0] != "place_disc" or not answer[1].isdecimal():
            sys.exit(f"the bot answered {' '.join(answer)!r}, not place_disc and a column")
        print(int(answer[1]) + 1, flush=True)


if len(sys.argv) < 2:
    sys.exit("usage: aigames.py COMMAND...")
main()
