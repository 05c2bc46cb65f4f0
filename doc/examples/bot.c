/* Wins if one disc is enough, blocks if one disc of the other side would be, and otherwise
   plays near the middle. Build it with: cc -O2 -o bot bot.c */
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 7, ROWS = 6, LINE = 4 };

static char cells[COLUMNS][ROWS]; /* 0: empty, 1: who began, 2: the other */
static int height[COLUMNS];

static int at(int column, int row)
{
	if (column < 0 || column >= COLUMNS || row < 0 || row >= ROWS)
		return 0;
	return cells[column][row];
}

/* Whether a disc of this side in this column makes a line. */
static int wins(int side, int column)
{
	static const int directions[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
	int row = height[column], d, n, i;
	for (d = 0; d < 4; d++) {
		int dx = directions[d][0], dy = directions[d][1];
		n = 1;
		for (i = 1; at(column + i * dx, row + i * dy) == side; i++)
			n++;
		for (i = 1; at(column - i * dx, row - i * dy) == side; i++)
			n++;
		if (n >= LINE)
			return 1;
	}
	return 0;
}

static int choose(const char *moves)
{
	static const int middle_first[COLUMNS] = {3, 2, 4, 1, 5, 0, 6};
	int ply, i, side, me;
	memset(cells, 0, sizeof cells);
	memset(height, 0, sizeof height);
	for (ply = 0; moves[ply] >= '1' && moves[ply] <= '0' + COLUMNS; ply++) {
		int column = moves[ply] - '1';
		cells[column][height[column]++] = 1 + ply % 2;
	}
	me = 1 + ply % 2;
	for (side = me, i = 0; i < 2; side = 3 - side, i++)
		for (int column = 0; column < COLUMNS; column++)
			if (height[column] < ROWS && wins(side, column))
				return column + 1;
	for (i = 0; height[middle_first[i]] == ROWS; i++)
		;
	return middle_first[i] + 1;
}

int main(void)
{
	char moves[COLUMNS * ROWS + 3];
	while (fgets(moves, sizeof moves, stdin)) {
		printf("%d\n", choose(moves));
		fflush(stdout); /* otherwise the answer waits for more */
	}
	return 0;
}
