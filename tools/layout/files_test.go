package layout

import (
	"fmt"
	"strings"
	"testing"
)

func TestFileLengthsBite(t *testing.T) {
	got := FileLengths([]File{
		{"short.go", []byte(strings.Repeat("\n", MaxFile))},
		{"long.go", []byte(strings.Repeat("\n", MaxFile+1))},
	})
	if len(got) != 1 || got[0].Where != "long.go" {
		t.Errorf("findings: %v; want one, of long.go", got)
	}
}

// function is a file with one function of that many lines, the first and last included.
func function(name string, lines int) File {
	body := strings.Repeat("\tprintln()\n", lines-2)
	return File{name, []byte("package p\n\nfunc f() {\n" + body + "}\n")}
}

func TestFunctionLengths(t *testing.T) {
	table := "package p\n\nfunc f() []string {\n\treturn []string{\n" + strings.Repeat("\t\t\"row\",\n", 100) + "\t}\n}\n"
	choice := "package p\n\nfunc f(n int) {\n\tswitch n {\n"
	for i := range 50 {
		choice += fmt.Sprintf("\tcase %d:\n\t\tprintln(%d)\n", i, i)
	}
	choice += "\t}\n}\n"
	long := "package p\n\nfunc f(n int) {\n\tswitch n {\n\tcase 1:\n" + strings.Repeat("\t\tprintln()\n", 100) + "\t}\n}\n"
	code := "package p\n\nfunc f() []func() {\n\treturn []func(){\n" + strings.Repeat("\t\tfunc() {\n\t\t},\n", 50) + "\t}\n}\n"
	tests := []struct {
		name string
		file File
		bad  bool
	}{
		{"at the limit", function("a.go", MaxFunction), false},
		{"over it", function("a.go", MaxFunction+1), true},
		{"over it in a test", function("a_test.go", MaxFunction+1), false},
		{"a flat table", File{"a.go", []byte(table)}, false},
		{"a flat switch", File{"a.go", []byte(choice)}, false},
		{"a switch with a long case", File{"a.go", []byte(long)}, true},
		{"a table of code", File{"a.go", []byte(code)}, true},
		{"no Go", File{"a.js", []byte("function f() {}")}, false},
		{"test data that does not parse", File{"testdata/a.go", []byte("package (")}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := FunctionLengths([]File{test.file})
			if err != nil || (len(got) == 1) != test.bad {
				t.Errorf("findings: %v, %v; want one: %v", got, err, test.bad)
			}
		})
	}
}

func TestFunctionLengthsSayWhere(t *testing.T) {
	got, err := FunctionLengths([]File{function("dir/a.go", 90)})
	if err != nil || len(got) != 1 || got[0].Where != "dir/a.go:3" || !strings.Contains(got[0].What, "f has 90 lines") {
		t.Errorf("findings: %v, %v", got, err)
	}
	if _, err := FunctionLengths([]File{{"a.go", []byte("package (")}}); err == nil {
		t.Error("a file that does not parse gives no error")
	}
}

func TestJavaScriptImportsBite(t *testing.T) {
	source := []byte("package p\n\nimport _ \"syscall/js\"\n")
	tests := map[string]bool{
		"registry/pipeline.go":       true,
		"jsbridgeother/a.go":         true,
		"webmcp/browser.go":          true,
		"webmcp/browser_test.go":     true,
		"webmcp/browser_js.go":       false,
		"webmcp/browser_js_test.go":  false,
		"jsbridge/handles.go":        false,
		"wasm/main.go":               false,
		"testdata/other/anything.go": false,
	}
	for name, bad := range tests {
		got, err := JavaScriptImports([]File{{name, source}})
		if err != nil || (len(got) == 1) != bad {
			t.Errorf("%s: findings %v, %v; want one: %v", name, got, err, bad)
		}
	}
	other := File{"registry/a.go", []byte("package p\n\nimport _ \"syscall\"\n")}
	if got, err := JavaScriptImports([]File{other}); err != nil || len(got) > 0 {
		t.Errorf("findings for another import: %v, %v", got, err)
	}
}
