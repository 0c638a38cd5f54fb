package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// play runs the program on an input and gives what it printed.
func play(t *testing.T, stdin string) string {
	t.Helper()
	var stdout, stderr strings.Builder
	if code := run(nil, strings.NewReader(stdin), &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Fatalf("exit code %d, standard error %q", code, stderr.String())
	}
	return stdout.String()
}

const untilTheQuestion = `-> view:devices.table.list 
<- CAPABILITY_NOT_FOUND 
-> view:session.panel.signIn {"name":"Ada"}
<- ok 
-> view:devices.table.list 
<- ok [{"id":"d1","name":"Lamp","on":true},{"id":"d2","name":"Heater","on":true}]
-> view:devices.table.select {"ids":["d2","d9"]}
<- PRECONDITION_FAILED {"missing":"d9"}
-> view:devices.table.select {"ids":["d2"]}
<- ok 
-> domain:devices/disable {"reason":"It is warm"}

   embedded:anonymous (destructive) asks for domain:devices/disable
   Switches the selected devices off Input: {"ids":["d2"],"reason":"It is warm"}
   Approve? [y/N] 
`

func TestApproved(t *testing.T) {
	got := play(t, "y\n")
	const rest = `<- ok 
-> view:devices.table.list 
<- ok [{"id":"d1","name":"Lamp","on":true},{"id":"d2","name":"Heater","on":false}]

Audit trail
  registration
  registration
`
	if !strings.HasPrefix(got, untilTheQuestion+rest) {
		t.Errorf("got %s", got)
	}
	for _, event := range []string{"confirmation-requested", "confirmation-approved", "confirmation-consumed"} {
		if strings.Count(got, "\n  "+event+" domain:devices/disable embedded:anonymous\n") != 1 {
			t.Errorf("the trail has not one %s: %s", event, got)
		}
	}
}

func TestEverythingElseDenies(t *testing.T) {
	for _, answer := range []string{"n\n", "\n", "yes\n", "Y\n", " y\n", ""} {
		got := play(t, answer)
		const rest = `<- CONFIRMATION_INVALID {"reason":"denied"}
-> view:devices.table.list 
<- ok [{"id":"d1","name":"Lamp","on":true},{"id":"d2","name":"Heater","on":true}]
`
		if !strings.HasPrefix(got, untilTheQuestion+rest) {
			t.Errorf("%q: got %s", answer, got)
		}
		if !strings.Contains(got, "confirmation-denied") || strings.Contains(got, "confirmation-consumed") {
			t.Errorf("%q: the trail is %s", answer, got)
		}
	}
}

// TestTheContractIsOfTheseDeclarations: whoever changes one runs go generate, and has the difference reviewed.
func TestTheContractIsOfTheseDeclarations(t *testing.T) {
	file := filepath.Join(t.TempDir(), "contract.json")
	var stdout, stderr strings.Builder
	if code := run([]string{"-contract", file}, strings.NewReader(""), &stdout, &stderr); code != 0 || stdout.Len()+stderr.Len() > 0 {
		t.Fatalf("exit code %d, %q, %q", code, stdout.String(), stderr.String())
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(written) != manifest {
		t.Errorf("the contract is another: run go generate ./examples/native; it would be\n%s", written)
	}
}

func TestWrongArguments(t *testing.T) {
	var stdout, stderr strings.Builder
	if code := run([]string{"-what"}, strings.NewReader(""), &stdout, &stderr); code != 2 || !strings.Contains(stderr.String(), "-contract") {
		t.Errorf("exit code %d, %q", code, stderr.String())
	}
	stderr.Reset()
	if code := run([]string{"-contract", filepath.Join(t.TempDir(), "no", "file")}, strings.NewReader(""), &stdout, &stderr); code != 1 || !strings.HasPrefix(stderr.String(), "native: ") {
		t.Errorf("exit code %d, %q", code, stderr.String())
	}
}
