package tournament

import (
	"cmp"
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

	hangs atomic.Bool // it gave no first answer once, and so gets no time to start again
}

func (p *Player) isProgram() bool { return p.Level == 0 }

// ParsePlayers reads players from the command line. Each is a level or a command, and may start with a name, as in
// "fast=./bot.py --fast". Otherwise a program is called like its file, or like its folder if another player is
// called like its file. The error names all players that are none: a class should hear of all at once.
func ParsePlayers(texts []string) ([]*Player, error) {
	if len(texts) < 2 {
		return nil, errors.New("a tournament needs two players, as in medium ./bot.py")
	}
	var players []*Player
	var faults []string
	files, named := map[*Player]string{}, map[string]int{}
	for _, text := range texts {
		name, what := bot.CutName(text)
		p := &Player{Name: name}
		var err error
		if p.Level, err = match.ParseLevel(what); err == nil {
			p.Name = cmp.Or(name, p.Level.String())
		} else if p.Command, err = bot.ParseCommand(what); err != nil {
			if !strings.ContainsAny(what, `/\ `) {
				err = fmt.Errorf("%w; the levels are %s", err, strings.Join(match.LevelNames(), ", "))
			}
			faults = append(faults, err.Error())
		} else if name == "" {
			files[p] = fileOf(what)
			base := filepath.Base(files[p])
			p.Name = cmp.Or(strings.TrimSuffix(base, filepath.Ext(base)), base)
		}
		named[p.Name]++
		players = append(players, p)
	}
	if faults != nil {
		return nil, errors.New(strings.Join(faults, "; "))
	}
	seen := map[string]bool{}
	for i, p := range players {
		if folder := filepath.Base(filepath.Dir(files[p])); named[p.Name] > 1 && files[p] != "" && folder != "." {
			p.Name = folder
		}
		if seen[p.Name] {
			return nil, fmt.Errorf("two players are called %s: name one, as in other=%s", p.Name, texts[i][strings.IndexByte(texts[i], '=')+1:])
		}
		seen[p.Name] = true
	}
	return players, nil
}

// fileOf returns the file of a program. Of a command such as "python3 kaggle.py anna.py" it is the last word that
// is a file, or else the first word.
func fileOf(command string) string {
	words := strings.Fields(command)
	if len(words) == 1 || bot.IsFile(command) {
		return command
	}
	for _, word := range slices.Backward(words) {
		if ext := filepath.Ext(word); len(ext) > 1 && word[0] != '-' {
			return word
		}
	}
	return words[0]
}
