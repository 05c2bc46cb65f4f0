package tournament

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/c4hat/c4hat/internal/bot"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/c4hat/c4hat/internal/quote"
)

// Player is a level of the computer or a program.
type Player struct {
	Name    string
	Level   levels.Level // 0 for a program
	Command bot.Command

	names  []string // what it can be called, the shortest first
	digest string   // of the command and its files; empty for a level
}

func (p *Player) isProgram() bool { return p.Level == 0 }

// maxName is the length of the longest name, in bytes.
const maxName = 32

// ParsePlayers reads players from the command line. Each is a level or a command, and may start
// with a name, as in "fast=./bot.py --fast". The error names all players that are none.
func ParsePlayers(texts []string) ([]*Player, error) {
	var players []*Player
	var faults []string       // a class should hear of all at once
	forms := map[string]int{} // how many players could be called so
	for _, text := range texts {
		p, err := parsePlayer(text)
		if err != nil {
			faults = append(faults, err.Error())
			continue
		}
		players = append(players, p)
		for _, name := range p.names {
			forms[name]++
		}
	}
	if faults != nil {
		return nil, errors.New(strings.Join(faults, "; "))
	}
	seen := map[string]bool{}
	for i, p := range players {
		text := texts[i]
		for _, p.Name = range p.names {
			if forms[p.Name] == 1 {
				break
			}
		}
		switch {
		case len(p.Name) > maxName:
			return nil, fmt.Errorf("the name %s is longer than %d letters: write name=%s", quote.Short(p.Name), maxName, text)
		case seen[p.Name]:
			return nil, fmt.Errorf("two players are called %s: name one, as in other=%s", p.Name, text[strings.IndexByte(text, '=')+1:])
		}
		seen[p.Name] = true
	}
	if len(players) < 2 {
		return nil, errors.New("a tournament needs two players, as in medium ./bot.py")
	}
	return players, nil
}

// shortNames returns what a program can be called: bot, bot.py, anna or class/anna/bot.py. Of a command such as
// "python3 kaggle.py anna.py" it is the last word that is a file, or else the first word.
func shortNames(command string) (names []string) {
	file := command
	if words := strings.Fields(command); len(words) > 1 && !bot.IsFile(command) {
		file = words[0]
		for _, word := range words[1:] {
			if ext := filepath.Ext(word); ext != "" && ext != "." && !strings.HasPrefix(word, "-") {
				file = word
			}
		}
	}
	base := filepath.Base(file)
	short := strings.TrimSuffix(base, filepath.Ext(base))
	for _, name := range []string{cmp.Or(short, base), base, filepath.Base(filepath.Dir(file)), command} { // .bot has no short name
		if strings.Trim(name, `./\`) != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func parsePlayer(text string) (*Player, error) {
	name, what := bot.CutName(text)
	if level, err := levels.Parse(what); err == nil {
		return &Player{names: []string{cmp.Or(name, level.String())}, Level: level}, nil
	}
	command, err := bot.ParseCommand(what)
	switch {
	case err == nil && name == "":
		return &Player{names: shortNames(what), Command: command, digest: command.Digest()}, nil
	case err == nil:
		return &Player{names: []string{name}, Command: command, digest: command.Digest()}, nil
	case !strings.ContainsAny(what, `/\ `):
		err = fmt.Errorf("%w; the levels are %s", err, strings.Join(levels.Names(), ", "))
	}
	return nil, err
}
