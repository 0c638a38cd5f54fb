package mcppage

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// program is a run of `pagewarden mcp`.
type program struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	// temp is where it keeps its temporary files.
	temp string
	// out and err are what it has written.
	out, err *record
	exited   chan struct{}
}

// record keeps what is written to it.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // closed by the next text
}

func newRecord() *record { return &record{more: make(chan struct{})} }

func (r *record) Write(text []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.more)
	r.more = make(chan struct{})
	return r.text.Write(text)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// start runs the command. At the end of the test its input ends, if the test has not ended it, and it must leave nothing
// behind: no process, no file, and on standard output nothing but the protocol, unless it served HTTP.
func start(t *testing.T, args ...string) *program {
	t.Helper()
	// Short: the browser makes a socket in it.
	temp, err := os.MkdirTemp("", "pw")
	if err != nil {
		t.Fatal(err)
	}
	p := &program{t: t, temp: temp, out: newRecord(), err: newRecord(), exited: make(chan struct{})}
	p.cmd = exec.Command(fixture.command, append([]string{"mcp"}, args...)...)
	p.cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	p.cmd.Stderr = p.err
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout, p.stdout = writer, reader
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	go func() {
		defer close(p.exited)
		_ = p.cmd.Wait() // ends looks at the code.
	}()
	t.Cleanup(func() { p.ends(); os.RemoveAll(temp) })
	return p
}

// Read and Write are the client's side of the streams.
func (p *program) Read(into []byte) (int, error) {
	n, err := p.stdout.Read(into)
	_, _ = p.out.Write(into[:n]) // never fails
	return n, err
}

func (p *program) Write(text []byte) (int, error) { return p.stdin.Write(text) }

// Close ends the input.
func (p *program) Close() error { return p.stdin.Close() }

// ends ends the input, and checks what is left.
func (p *program) ends() {
	p.t.Helper()
	p.stdin.Close()
	p.hasEnded()
	for line := range strings.Lines(p.out.String()) {
		var message struct{ JSONRPC string }
		if err := json.Unmarshal([]byte(line), &message); err != nil || message.JSONRPC != "2.0" {
			p.t.Errorf("standard output has %q", line)
		}
	}
	p.stdout.Close()
}

// hasEnded waits for the end, and checks what is left.
func (p *program) hasEnded() {
	p.t.Helper()
	select {
	case <-p.exited:
	case <-time.After(suite.Patience):
		_ = p.cmd.Process.Kill()
		p.t.Fatalf("the command did not end; it said %s", p.err)
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		p.t.Errorf("the exit code is %d; it said %s", code, p.err)
	}
	if left := processesWith(p.temp); len(left) > 0 {
		p.t.Errorf("these processes are left: %v", left)
	}
	if left, err := os.ReadDir(p.temp); err != nil || len(left) > 0 {
		p.t.Errorf("these files are left: %v, error %v", left, err)
	}
}

// says waits until standard error has all those texts.
func (p *program) says(texts ...string) {
	p.t.Helper()
	limit := suite.Within(p.t)
	for {
		p.err.mu.Lock()
		said, more := p.err.text.String(), p.err.more
		p.err.mu.Unlock()
		if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(said, text) }) {
			return
		}
		select {
		case <-more:
		case <-limit.Done():
			p.t.Fatalf("it should have said %q; it said %s", texts, said)
		}
	}
}

// signal sends a signal to the command alone.
func (p *program) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// kill kills the browser's processes of that type, "" for the browser itself: a browser keeps spare ones. It fails when
// there is none.
func (p *program) kill(kind string) {
	p.t.Helper()
	killed := 0
	for pid, arguments := range processesWith(p.temp) {
		if pid != p.cmd.Process.Pid && typeOf(arguments) == kind {
			_ = syscall.Kill(pid, syscall.SIGKILL) // It may have ended with another.
			killed++
		}
	}
	if killed == 0 {
		p.t.Fatalf("the browser has no process of type %q: %v", kind, processesWith(p.temp))
	}
}

// typeOf is what Chromium says of a process, "" for the main one.
func typeOf(arguments []string) string {
	if strings.Contains(arguments[0], "crashpad") {
		return "crashpad"
	}
	for _, argument := range arguments {
		if kind, ok := strings.CutPrefix(argument, "--type="); ok {
			return kind
		}
	}
	return ""
}

// processesWith are the processes in whose command line or environment the text is, by id, with their arguments.
func processesWith(text string) map[int][]string {
	found := map[int][]string{}
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		pid, _ := strconv.Atoi(filepath.Base(folder))
		// One that has just ended has nothing to read.
		command, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		environment, _ := os.ReadFile(filepath.Join(folder, "environ"))
		if pid != os.Getpid() && len(command) > 0 && bytes.Contains(append(command, environment...), []byte(text)) {
			// Chromium's children write theirs anew, with spaces.
			found[pid] = strings.Fields(strings.ReplaceAll(string(command), "\x00", " "))
		}
	}
	return found
}
