package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// serving starts the command and returns the address that it prints, and a func
// that interrupts it and returns its exit code and stderr.
func serving(t *testing.T, args ...string) (address string, stop func() (int, string)) {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	t.Cleanup(interrupt)
	reader, writer := io.Pipe()
	var stderr bytes.Buffer
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, append([]string{"serve"}, args...), strings.NewReader(""), writer, &stderr)
		writer.Close()
	}()
	line, err := bufio.NewReader(reader).ReadString('\n')
	if err != nil {
		t.Fatalf("the command ended with %d: %s", <-done, stderr.String())
	}
	return strings.TrimSpace(line), func() (int, string) {
		interrupt()
		return <-done, stderr.String()
	}
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func TestServe(t *testing.T) {
	dist, data := t.TempDir(), filepath.Join(t.TempDir(), "new", "data")
	if err := os.WriteFile(filepath.Join(dist, "pagewarden.wasm"), []byte("module"), 0o600); err != nil {
		t.Fatal(err)
	}
	address, stop := serving(t, "--dist", dist, "--data", data)
	if code, body := get(t, address); code != 200 || !strings.Contains(body, "<html") {
		t.Errorf("the page gives %d: %.200s", code, body)
	}
	if code, body := get(t, address+"api/devices"); code != 200 || !strings.Contains(body, `"devices"`) {
		t.Errorf("the devices give %d: %.200s", code, body)
	}
	if code, body := get(t, address+"pagewarden.wasm"); code != 200 || body != "module" {
		t.Errorf("the runtime gives %d: %.200s", code, body)
	}
	if code, errors := stop(); code != codeDone || errors != "" {
		t.Errorf("exit code %d, stderr %s", code, errors)
	}
	if _, err := os.Stat(filepath.Join(data, "devices.db")); err != nil {
		t.Error(err)
	}
	if _, err := http.Get(address); err == nil {
		t.Error("the server still answers")
	}
}

func TestServeWithNothingBuilt(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	address, stop := serving(t, "--dist", filepath.Join(temp, "missing"))
	if code, _ := get(t, address); code != 200 {
		t.Errorf("the page gives %d", code)
	}
	if code, errors := stop(); code != codeDone || !strings.Contains(errors, "--dist") {
		t.Errorf("exit code %d, stderr %q", code, errors)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, error %v", left, err)
	}
}

func TestServeRehearsal(t *testing.T) {
	for _, test := range []struct {
		flags []string
		code  int
	}{{nil, 404}, {[]string{"--rehearsal"}, 200}} {
		address, stop := serving(t, append(test.flags, "--dist", t.TempDir())...)
		if code, body := get(t, address+"api/rehearsal"); code != test.code {
			t.Errorf("with %q the rehearsal gives %d: %s", test.flags, code, body)
		}
		stop()
	}
}

func TestServeOnTakenAddress(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	runs(t, "serve", "--addr", listener.Addr().String(), "--dist", t.TempDir()).expect(t, codeNotRun, "", "choose another with --addr")
}

func TestAddresses(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1:80": "http://127.0.0.1:80/",
		"0.0.0.0:80":   "http://localhost:80/",
		"[::]:80":      "http://localhost:80/",
		"[::1]:80":     "http://[::1]:80/",
	} {
		tcp, err := net.ResolveTCPAddr("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if got := addressOf(tcp); got != want {
			t.Errorf("%s is at %s, want %s", addr, got, want)
		}
	}
	for addr, want := range map[string][]string{":80": nil, "box.local:80": {"box.local"}, "nonsense": nil} {
		if got := (serveFlags{addr: addr}).hosts(); !slices.Equal(got, want) {
			t.Errorf("hosts of %s are %q, want %q", addr, got, want)
		}
	}
}
