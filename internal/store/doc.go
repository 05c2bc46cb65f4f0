// Package store keeps matches on disk: the running one, which resumes after a power cut,
// and the finished ones, as a history.
//
// A folder holds
//
//	match.json      the running match, replaced with every move
//	match.json.bad  a damaged one, kept for inspection
//	match.json.tmp  the next match.json while it is written; also .tmp2, .tmp3
//	match.lock      locked by the program whose running match this is
//	matches.jsonl   the finished matches, a line each, the oldest first; if it was too
//	                long, its first line counts the matches that were dropped
//	matches.jsonl.tmp  the next matches.jsonl while it is written, once in years
//
// It is made for machines that are switched off by pulling the plug. When a save ([Store.Begin])
// and then [Store.Sync] have returned nil, the match is on the disk; when [Store.Finish] has,
// it is in the history, once. A disk's failure is only an error: with a full or broken disk the
// game continues without being saved. [Saver] does all this in the background of a game,
// which never waits.
package store
