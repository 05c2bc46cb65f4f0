// Package store keeps matches on disk: the one that is being played, so that it
// goes on after a power cut, and those that are over, as a history.
//
// A folder holds
//
//	match.json      the running match, replaced as a whole with every move
//	match.json.bad  one that was damaged, for whoever wants to see it
//	match.json.tmp  the next match.json while it is written; also .tmp2
//	match.lock      locked by the program whose running match this is
//	matches.jsonl   the matches that are over, a line each, the oldest first
//
// It is written for machines that are switched off by pulling their plug. When
// [Store.Save] and then [Store.Sync] have returned nil, the match is on the disk; when
// [Store.Finish] has, it is in the history, once. Nothing that a disk does is more than an error:
// a full or broken one makes a game that is not kept, never one that stops.
package store
