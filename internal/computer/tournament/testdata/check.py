"""Recompute the results of a tournament from its recorded games, without c4hat's code.

check.py RESULTS.json GAMES.jsonl EXAMPLES prints nothing if the results are right, and so is the board of the
examples.
"""

import json
import statistics
import sys

sys.path.insert(0, sys.argv[3] + "/python")
from board import Board


def winner(moves, width, height, connect):
    """Replay a game; red, yellow or draw, or None if it is not over."""
    board = Board(width, height, connect)
    assert (board.get_width(), board.get_height(), board.get_connect()) == (width, height, connect)
    cells = {}
    for ply, digit in enumerate(moves):
        assert not board.is_won() and not board.is_full(), "moves after the end"
        for column in board.free_columns():
            before = str(board), board.get_next_player()
            won = board.play(column)
            assert won == board.is_won()
            board.unplay(column)
            assert before == (str(board), board.get_next_player())
        column = int(digit) - 1
        cells[column, sum(x == column for x, _ in cells)] = board.get_next_player()
        board.play(column)  # it is not full
        for x in range(-1, width + 1):
            for y in range(-1, height + 1):
                assert board.get_token(x, y) == cells.get((x, y), 0)
    if board.is_won():
        return ("red", "yellow")[ply % 2]
    return "draw" if board.is_full() else None


def interval(points, games):
    """Wilson's interval: the p for which the score is 1.96 standard errors away, by bisection."""
    z = statistics.NormalDist().inv_cdf(0.975)
    score = points / games

    def outside(p):
        return (score - p) ** 2 > z * z * p * (1 - p) / games

    def edge(far):
        near = score
        for _ in range(200):
            middle = (far + near) / 2
            if outside(middle):
                far = middle
            else:
                near = middle
        return near

    return edge(0.0), edge(1.0)


def check(what, got, want, tolerance=1e-6):
    if abs(got - want) > tolerance:
        sys.exit(f"{what}: {got}, want {want}")


results = json.load(open(sys.argv[1]))
games = [json.loads(line) for line in open(sys.argv[2])]
points, played, outcomes, kept, moves, different = {}, {}, {}, {}, {}, {}
openings = {}
for g in games:
    width, height = map(int, g.get("board", "7x6").split("x"))
    over = winner(g["moves"], width, height, g.get("connect", 4))
    assert g["moves"].startswith(g["opening"]), g
    assert over == g["result"] or over is None and "fault" in g, g
    opening = openings.setdefault((frozenset((g["red"], g["yellow"])), (g["game"] - 1) // 2), [])
    opening.append((g["opening"], g["red"]))
    for side, name in enumerate((g["red"], g["yellow"])):
        other = (g["yellow"], g["red"])[side]
        won = 0.5 if g["result"] == "draw" else float(g["result"] == ("red", "yellow")[side])
        for key in name, (name, other):
            points[key] = points.get(key, 0) + won
            played[key] = played.get(key, 0) + 1
            outcomes.setdefault(key, []).append(won)
            different.setdefault(key, set()).add((frozenset((name, other)), g["red"], g["moves"]))
        chosen = sum(ply % 2 == side for ply in range(len(g["opening"]), len(g["moves"])))
        kept[name] = kept.get(name, 0) + g.get("kept", (0, 0))[side]
        moves[name] = moves.get(name, 0) + chosen

for pair in openings.values():
    assert len(pair) == 1 or pair[0][0] == pair[1][0] and pair[0][1] != pair[1][1], pair
for entry, key in [(p, p["name"]) for p in results["players"]] + [(p, tuple(p["players"])) for p in results["pairs"]]:
    assert entry["games"] == played[key]
    assert [entry["wins"], entry["draws"], entry["losses"]] == [outcomes[key].count(x) for x in (1, 0.5, 0)]
    check(f"{key}: score", entry["score"], points[key] / played[key])
    assert entry["different"] == len(different[key])
    low, high = interval(points[key], played[key])
    check(f"{key}: low", entry["interval"][0], low)
    check(f"{key}: high", entry["interval"][1], high)
for p in results["players"]:
    assert (p["kept"] is None) == ("kept" not in games[0])
    check(f"{p['name']}: kept", p["kept"] or 0, kept[p["name"]] / moves[p["name"]])
scores = [p["score"] for p in results["players"]]
assert scores == sorted(scores, reverse=True), "not the best first"
assert sum(len(o) for k, o in outcomes.items() if isinstance(k, str)) == 2 * len(games)
