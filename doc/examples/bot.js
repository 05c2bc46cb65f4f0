#!/usr/bin/env node
// A board, and an agent with minimax on it. Columns count from 0, rows from 0 at the bottom; the
// players are 1 and -1.

class Board {
	constructor(width = 7, height = 6, connect = 4) {
		Object.assign(this, { width, height, connect, nextPlayer: 1 })
		this.columns = Array.from({ length: width }, () => []) // the discs in each column, the lowest first
	}

	freeColumns() {
		return [...this.columns.keys()].filter(x => this.columns[x].length < this.height)
	}

	token(x, y) {
		return this.columns[x]?.[y] ?? 0
	}

	// play drops the next player's disc, and returns whether it wins.
	play(column) {
		this.columns[column].push(this.nextPlayer)
		this.nextPlayer = -this.nextPlayer
		return this.wins(column)
	}

	unplay(column) {
		this.columns[column].pop()
		this.nextPlayer = -this.nextPlayer
	}

	// wins returns whether the top disc of a column is in a line.
	wins(x) {
		const y = this.columns[x].length - 1, player = this.columns[x][y]
		const run = (dx, dy) => {
			let n = 1
			while (this.token(x + n * dx, y + n * dy) === player) n++
			return n - 1
		}
		return [[1, 0], [0, 1], [1, 1], [1, -1]].some(([dx, dy]) => 1 + run(dx, dy) + run(-dx, -dy) >= this.connect)
	}
}

const DEPTH = 5 // discs

// score returns what the position is worth to the player who moves: more than 0 wins.
function score(board, depth) {
	const values = board.freeColumns().map(column => value(board, column, depth))
	return depth === 0 || values.length === 0 ? 0 : Math.max(...values)
}

// value returns what a column is worth: the sooner a win, the better.
function value(board, column, depth) {
	if (depth === 0) return 0
	const won = board.play(column)
	const worth = won ? depth : -score(board, depth - 1)
	board.unplay(column)
	return worth
}

function choose(board) {
	const values = board.freeColumns().map(column => [column, value(board, column, DEPTH)])
	const best = Math.max(...values.map(([, worth]) => worth))
	const columns = values.filter(([, worth]) => worth === best)
	return columns[Math.floor(Math.random() * columns.length)][0]
}

const [width, height] = (process.env.C4HAT_BOARD ?? "7x6").split("x").map(Number)
require("readline").createInterface({ input: process.stdin }).on("line", line => {
	const board = new Board(width, height, Number(process.env.C4HAT_CONNECT ?? 4))
	for (const digit of line.trim()) board.play(digit - 1)
	console.log(choose(board) + 1)
})
