#!/bin/sh
# Plays in the column of the other side's last disc, on top of it; if it is full, or at the
# start, in the open column nearest to the middle.
while read -r moves; do
	last=${moves#"${moves%?}"}
	for column in $last 4 3 5 2 6 1 7; do
		discs=$(printf %s "$moves" | tr -cd "$column")
		[ ${#discs} -ge 6 ] || break
	done
	echo "$column"
done
