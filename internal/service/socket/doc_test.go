package socket

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
)

// The commands of doc/socket.md work, in the order of the document.
func TestDocumentedCommands(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl")
	}
	doc, err := os.ReadFile("../../../doc/socket.md")
	must(t, err)
	b, path := outside(t, func(b *bench) { b.config.Attract = true })
	says := []string{`"machine":{`, `data: {"phase":`, `"phase":"menu"`, `"phase":"menu"`,
		fmt.Sprintf(`"computer":"yellow","level":%q`, match.Hard),
		`"token":"`, `"token":"`, `"seats":{"red":{"state":"taken","name":"my bot"},"yellow":{"state":"taken"}}`, `"turn":"yellow"`, `"seats":{"red":{},"yellow":{"state":"taken"}}`, `"phase":"menu"`, `{"admitted":true}`, `{"matches":[`}
	token := ""
	for line := range strings.Lines(string(doc)) {
		if !strings.HasPrefix(line, "curl ") {
			continue
		}
		if len(says) == 0 {
			t.Fatalf("no answer is known for %s", line)
		}
		line = strings.NewReplacer("/run/c4hat/c4hat.sock", path, "TOKEN", token).Replace(line)
		cmd := exec.CommandContext(t.Context(), "sh", "-c", "exec "+line)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		if strings.Contains(line, "/v1/admit") {
			for b.hat().Phase != game.Admitting {
				time.Sleep(time.Millisecond)
			}
			time.Sleep(2 * time.Second) // presses that come sooner do nothing
			left := game.Press{Key: game.Left}
			b.hat(left, left, left, left, game.Press{Key: game.Middle})
		}
		said, _ := bufio.NewReader(out).ReadString('\n')
		if !strings.Contains(said, says[0]) {
			t.Errorf("%s says %s, want %s", line, said, says[0])
		}
		if issued := regexp.MustCompile(`"token":"(\w+)"`).FindStringSubmatch(said); issued != nil {
			token = issued[1]
		}
		_ = cmd.Process.Kill() // a stream of events does not end
		_ = cmd.Wait()
		says = says[1:]
	}
	if len(says) > 0 {
		t.Errorf("no command for %q", says)
	}
}
