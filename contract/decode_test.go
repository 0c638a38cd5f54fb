package contract_test

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/canonical"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
)

func golden(t testing.TB) capability.JSON {
	t.Helper()
	text, err := os.ReadFile("testdata/contract.json")
	if err != nil {
		t.Fatal(err)
	}
	return capability.JSON(text)
}

func TestParseReadsWhatCompileWrites(t *testing.T) {
	want := mustCompile(t, table(), disable(), weather())
	got, err := contract.Parse(golden(t))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if err := got.Verify(); err != nil {
		t.Error(err)
	}
}

// TestParseDoesNotMindTheForm: what a page parsed and wrote again is the same manifest.
func TestParseDoesNotMindTheForm(t *testing.T) {
	var tree any
	if err := json.Unmarshal([]byte(golden(t)), &tree); err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(tree, " ", "\t")
	if err != nil {
		t.Fatal(err)
	}
	loose := strings.Replace(string(text), `"formatVersion": 1`, `"formatVersion": 1.0`, 1)
	m, err := contract.Parse(capability.JSON(loose))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(m.File()); got != string(golden(t)) {
		t.Errorf("got %s", got)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, test := range []struct{ from, to, where, reason string }{
		{`{`, ``, "", "must be valid JSON"},
		{`{"capabilities"`, `{"compiler":"x","capabilities"`, "compiler", "must not be given twice"},
		{`"formatVersion":1`, `"formatVersion":2`, "formatVersion", `is 2, and this version of pagewarden reads only 1: run "pagewarden contract snapshot"`},
		{`"formatVersion":1`, `"formatVersion":"1"`, "formatVersion", `is "1"`},
		{`"formatVersion":1,`, ``, "formatVersion", "is absent"},
		{`"status":"proven"`, `"status":"partial"`, "completeness.status", "must be proven"},
		{`{"status":"proven"}`, `"proven"`, "completeness", "must be an object"},
		{`"status":"proven"`, `"status":"proven","unresolved":[]`, "completeness.unresolved", "is not a field"},
		{`"targets":["web"]`, `"targets":["web","server"]`, "targets", `want ["web"]`},
		{`"targets":["web"]`, `"targets":[7]`, "targets[0]", "must be a text"},
		{`"targets":["web"]`, `"targets":"web"`, "targets", "must be an array"},
		{`"external":[]`, `"external":{}`, "external", "must be an array"},
		{`"external":[]`, `"external":[1]`, "external[0]", "must be an object"},
		{`"external":[]`, `"external":[],"other":1`, "other", "is not a field"},
		{`"compiler":"pagewarden/0.1.0"`, `"compiler":""`, "compiler", "must be a text"},
		{`"compiler":"pagewarden/0.1.0",`, ``, "compiler", "is required"},
		{`"kind":"procedure"`, `"kind":"thing"`, "capabilities[0].kind", "want observation"},
		{`"kind":"procedure"`, `"kind":"action"`, "capabilities[0].capabilityId", "want an id that starts with view:"},
		{`"effect":"destructive"`, `"effect":"read"`, "capabilities[0].effect", "want server-query"},
		{`"confirmation":"required"`, `"confirmation":"never"`, "capabilities[0].confirmation", "the effect destructive is required at least"},
		{`"confirmation":"required"`, `"confirmation":""`, "capabilities[0].confirmation", "must be a text"},
		{`"audit":"full"`, `"audit":"all"`, "capabilities[0].audit", "want none"},
		{`"locked":false`, `"locked":0`, "capabilities[0].boundFields[0].locked", "must be true or false"},
		{`"locked":false,`, ``, "capabilities[0].boundFields[0].locked", "is required"},
		{`"path":"a"`, `"path":"ids"`, "capabilities[0].boundFields[1].path", "bound twice"},
		{`{"locked":false,"path":"a"},{"locked":true,"path":"ids"}`, ``, "capabilities[0].boundFields", "must not be empty"},
		{`"declaration":"src/api.ts#disable"`, `"declaration":"disable"`, "capabilities[0].declaration", "want PATH#NAME"},
		{`"description":"Disable devices"`, `"description":" "`, "capabilities[0].description", "a text is required"},
		{`"origin":"first-party"`, `"origin":"elsewhere"`, "capabilities[0].origin", "want first-party"},
		{`"outputSchema":{}`, `"outputSchema":true`, "capabilities[0].outputSchema", "must be a JSON object"},
		{`"outputSchema":{}`, `"outputSchema":{"a":1,"a":2}`, "capabilities[0].outputSchema.a", "must not be given twice"},
		{`"capabilityId":"external:weather.today"`, `"capabilityId":"external:weather/today"`, "capabilities[1].capabilityId", "want external:"},
		{`"kind":"external"`, `"kind":"external","componentDescription":"x"`, "capabilities[1].componentDescription", "is of observations"},
		{`"kind":"external"`, `"kind":"external","audit":"full"`, "capabilities[1].audit", "is of actions"},
		{`"kind":"external"`, `"kind":"external","policies":[{"name":"a"}]`, "capabilities[1].policies", "no policy"},
		{`"kind":"action"`, `"kind":"action","boundFields":[{"path":"a","locked":true}]`, "capabilities[2].boundFields", "of procedures only"},
		{`"phase":"authorize"`, `"phase":"x"`, "capabilities[2].policies[1].phase", "want discovery"},
		{`"tags":["devices"]`, `"tags":[]`, "capabilities[2].tags", "must not be empty"},
		{`"tags":["devices"]`, `"tags":["a","a"]`, "capabilities[2].tags[1]", "given twice"},
		{`"untrustedContent":true`, `"untrustedContent":false`, "capabilities[3].untrustedContent", "must be true, or left out"},
		{`"title":"Selection"`, `"title":7`, "capabilities[3].title", "must be a text"},
		{`"title":"Selection"`, `"title":"\ud800"`, "capabilities[3].title", "lone surrogate"},
		{`"kind":"observation"`, `"kind":"observation","inputSchema":{}`, "capabilities[3].inputSchema", "takes no input"},
		{`"kind":"observation"`, `"kind":"observation","confirmation":"never"`, "capabilities[3].confirmation", "never confirmed"},
		{`"hash":"`, `"hash":"A`, "capabilities[0].hash", "64 lower-case"},
		{`"admission":"`, `"admission":"0`, "capabilities[0].admission", "64 lower-case"},
	} {
		text := strings.Replace(string(golden(t)), test.from, test.to, 1)
		if text == string(golden(t)) {
			t.Fatalf("%s is not in the manifest", test.from)
		}
		m, err := contract.Parse(capability.JSON(text))
		var typed *contract.ManifestError
		if m != nil || !errors.As(err, &typed) || typed.Where != test.where || !strings.Contains(typed.Reason, test.reason) {
			t.Errorf("%s instead of %s: got %v, want %s: %s", test.to, test.from, err, test.where, test.reason)
		}
	}
}

// TestParseRefusesTheTextOfAManifest: what a page has fetched and not parsed.
func TestParseRefusesTheTextOfAManifest(t *testing.T) {
	_, err := contract.Parse(capability.Quote(string(golden(t))))
	if want := "contract manifest: must be an object, not its text; give what JSON.parse makes of it"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestParseReadsDependencies(t *testing.T) {
	hash := strings.Repeat("ab", 32)
	with := func(dependency string) (*contract.Manifest, error) {
		text := strings.Replace(string(golden(t)), `"external":[]`, `"external":[`+dependency+`]`, 1)
		return contract.Parse(capability.JSON(text))
	}
	good := `{"package":"@acme/ui","source":"pagewarden.contract.json","route":"sidecar","digest":"` + hash + `","approvedDigest":"` + hash + `"}`
	m, err := with(good)
	want := contract.Dependency{Package: "@acme/ui", Source: "pagewarden.contract.json", Route: contract.RouteSidecar, Digest: hash, ApprovedDigest: hash}
	if err != nil || len(m.External) != 1 || m.External[0] != want {
		t.Errorf("got %+v, %v", m, err)
	}
	for _, test := range []struct{ from, to, where string }{
		{`"route":"sidecar"`, `"route":"rumour"`, "external[0].route"},
		{`"package":"@acme/ui",`, ``, "external[0].package"},
		{`"source":"pagewarden.contract.json",`, ``, "external[0].source"},
		{`"digest":"ab`, `"digest":"AB`, "external[0].digest"},
		{`"approvedDigest":"ab`, `"approvedDigest":"`, "external[0].approvedDigest"},
	} {
		_, err := with(strings.Replace(good, test.from, test.to, 1))
		var typed *contract.ManifestError
		if !errors.As(err, &typed) || typed.Where != test.where {
			t.Errorf("%s: got %v", test.where, err)
		}
	}
}

// FuzzParse: whatever the bytes, a manifest or a typed error; and what is read is written again as it was, so that the
// hashes are of what was read.
func FuzzParse(f *testing.F) {
	f.Add(string(golden(f)))
	f.Add(strings.Replace(string(golden(f)), `"external":[]`, `"external":[{"package":"a","source":"b","route":"source","digest":"`+strings.Repeat("0", 64)+`","approvedDigest":"`+strings.Repeat("0", 64)+`"}]`, 1))
	f.Add(`{"formatVersion":1,"compiler":"x","targets":["web"],"capabilities":[],"external":[],"completeness":{"status":"proven"},"hash":"` + strings.Repeat("0", 64) + `"}`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := contract.Parse(capability.JSON(text))
		if err != nil {
			var typed *contract.ManifestError
			if m != nil || !errors.As(err, &typed) {
				t.Errorf("got %v, %v", m, err)
			}
			return
		}
		if !canonical.Equal(m.JSON(), capability.JSON(text)) {
			t.Errorf("read %s\nwrote %s", text, m.JSON())
		}
		if again, err := contract.Parse(m.JSON()); err != nil || !reflect.DeepEqual(again, m) {
			t.Errorf("got %+v, %v, then %+v", m, err, again)
		}
	})
}
