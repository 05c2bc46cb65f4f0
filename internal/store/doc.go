// Package store keeps matches on disk: the running one, which resumes after a power cut,
// and the finished ones, as a history.
//
// A folder holds
//
//	match.json      the running match: its document, one line for each change, and zeros, see [journal]
//	match.json.tmp  the next match.json while its first lines are being written
//	match.json.bad  a damaged match.json, kept for inspection; further ones are .bad2, .bad3, …
//	match.lock      locked by the program that saves its match in match.json
//	matches.jsonl   the finished matches, one per line, the oldest first; if it was too
//	                long, its first line counts the matches that were dropped
//	matches.jsonl.tmp  the next matches.jsonl while it is being shortened, once in years
//
// The package is made for machines that are switched off by pulling the plug. Once a save is
// answered without an error, the match is on the disk. A finished match is in the history exactly
// once, wherever the power was cut. With a full or broken disk, the game continues without being
// saved. One goroutine writes ([Saver]); any goroutine may read ([History]).
package store
