// Package store keeps matches on disk: the running one, which resumes after a power cut,
// and the finished ones, as a history.
//
// A folder holds
//
//	match.json      the running match, replaced with every move
//	match.json.bad  a damaged match.json, kept for inspection
//	match.json.tmp  the next match.json while it is being written; also .tmp2, .tmp3
//	match.lock      locked by the program that saves its match in match.json
//	matches.jsonl   the finished matches, one per line, the oldest first; if it was too
//	                long, its first line counts the matches that were dropped
//	matches.jsonl.tmp  the next matches.jsonl while it is being shortened, once in years
//
// The package is made for machines that are switched off by pulling the plug. Once a save
// ([Store.Begin]) and then [Store.Sync] have returned nil, the match is on the disk. Once
// [Store.Finish] has returned nil, the match is in the history, exactly once. With a full or broken
// disk, these calls return errors and the game continues without being saved. [Saver] makes the
// calls in the background of a game.
package store
