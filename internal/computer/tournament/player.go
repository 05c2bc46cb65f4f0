package tournament

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/c4hat/c4hat/internal/front/bot"
	"github.com/c4hat/c4hat/internal/match"
)

// Player is a level of the computer or a program.
type Player struct {
	Name    string
	Level   match.Level // 0 for a program
	Command bot.Command

	names []string    // what it can be called, the shortest first
	hangs atomic.Bool // it gave no first answer once, and so gets no time to start again
}

func (p *Player) isProgram() bool { return p.Level == 0 }

// ParsePlayers reads players from the command line. Each is a level or a command, and may start
// with a name, as in "fast=./bot.py --fast". Otherwise it gets the shortest name that it shares with no
// other. The error names all players that are none: a class should hear of all at once.
func ParsePlayers(texts []string) ([]*Player, error) {
	var players []*Player
	var faults []string
	shared := map[string]int{} // how many players could be called so
	for _, text := range texts {
		p, err := parsePlayer(text)
		if err != nil {
			faults = append(faults, err.Error())
			continue
		}
		players = append(players, p)
		for _, name := range p.names {
			shared[name]++
		}
	}
	if faults != nil {
		return nil, errors.New(strings.Join(faults, "; "))
	}
	seen := map[string]bool{}
	for i, p := range players {
		for _, p.Name = range p.names {
			if shared[p.Name] == 1 {
				break
			}
		}
		if seen[p.Name] {
			return nil, fmt.Errorf("two players are called %s: name one, as in other=%s", p.Name, texts[i][strings.IndexByte(texts[i], '=')+1:])
		}
		seen[p.Name] = true
	}
	if len(players) < 2 {
		return nil, errors.New("a tournament needs two players, as in medium ./bot.py")
	}
	return players, nil
}

func parsePlayer(text string) (*Player, error) {
	name, what := bot.CutName(text)
	level, err := match.ParseLevel(what)
	p := &Player{Level: level, names: []string{level.String()}}
	if err != nil {
		if p.Command, err = bot.ParseCommand(what); err != nil {
			if !strings.ContainsAny(what, `/\ `) {
				err = fmt.Errorf("%w; the levels are %s", err, strings.Join(match.LevelNames(), ", "))
			}
			return nil, err
		}
		p.names = namesOf(what)
	}
	if name != "" {
		p.names = []string{name}
	}
	return p, nil
}

// namesOf returns what a program can be called: bot, or after its folder anna, or else as it was written. Of a
// command such as "python3 kaggle.py anna.py" it is the last word that is a file, or else the first word.
func namesOf(command string) (names []string) {
	file := command
	if words := strings.Fields(command); len(words) > 1 && !bot.IsFile(command) {
		file = words[0]
		for _, word := range words[1:] {
			if ext := filepath.Ext(word); len(ext) > 1 && word[0] != '-' {
				file = word
			}
		}
	}
	base := filepath.Base(file)
	for _, name := range []string{strings.TrimSuffix(base, filepath.Ext(base)), filepath.Base(filepath.Dir(file)), command} {
		if strings.Trim(name, `./\`) != "" && !slices.Contains(names, name) { // .bot has no short name
			names = append(names, name)
		}
	}
	return names
}
