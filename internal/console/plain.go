// Package console shows a match as lines of text, without escape codes, and reads lines as
// answers. It is for pipes and screen readers.
//
// [Play] runs a game itself, and advances the game's clock to the next moment at which a player
// must choose. [Panel] is for a match of the service, and [Follow] only describes a game.
package console
