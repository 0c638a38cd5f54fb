package capability_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"pgregory.net/rapid"
)

func TestAppendQuoted(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", `""`}, {"plain", `"plain"`}, {`a"b\c`, `"a\"b\\c"`}, {"\n\r\t", `"\n\r\t"`}, {"\x00\b\f\x1f", `"\u0000\u0008\u000c\u001f"`},
		{"</script>&", `"</script>&"`}, {"\x7f\u2028é\U0001f600", "\"\x7f\u2028é\U0001f600\""}, {"\ufeffx", "\"\ufeffx\""},
		{"a\xffb", "\"a\ufffdb\""}, {"\xff", "\"\ufffd\""}, {"\xed\xa0\x80", "\"\ufffd\ufffd\ufffd\""}, {"x\xe2\x82", "\"x\ufffd\ufffd\""}, {"\ufffd", "\"\ufffd\""},
	}
	for _, tt := range tests {
		if got := string(capability.AppendQuoted([]byte("> "), tt.text)); got != "> "+tt.want {
			t.Errorf("AppendQuoted(%q) = %s, want %s", tt.text, got, tt.want)
		}
		if got := capability.Quote(tt.text); string(got) != tt.want {
			t.Errorf("Quote(%q) = %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestQuotedTextReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		if rapid.Bool().Draw(t, "valid") {
			text = rapid.String().Draw(t, "text")
		}
		quoted := capability.Quote(text)
		if issue := wide.Check(quoted); issue != nil {
			t.Fatalf("Quote(%q) = %s: %v", text, quoted, issue)
		}
		var standard string
		if err := json.Unmarshal([]byte(quoted), &standard); err != nil {
			t.Fatal(err)
		}
		want := strings.Builder{} // one U+FFFD a bad byte, as ranging over a string gives them
		for _, r := range text {
			want.WriteRune(r)
		}
		if got, ok := quoted.Text(); !ok || got != want.String() || standard != got {
			t.Fatalf("Quote(%q) reads back as %q, and %q by encoding/json", text, got, standard)
		}
	})
}

func TestObjectWriter(t *testing.T) {
	var w capability.ObjectWriter
	if got := w.JSON(); got != capability.EmptyObject {
		t.Errorf("an empty object is %s", got)
	}
	w.Raw("absent", "")
	w.OptionalText("empty", "")
	if got := w.JSON(); got != capability.EmptyObject {
		t.Errorf("what is absent is written: %s", got)
	}
	w.Text(`a"`, "x\n")
	w.Int("b", -1<<63)
	if got, want := w.JSON(), capability.JSON(`{"a\"":"x\n","b":-9223372036854775808}`); got != want {
		t.Errorf("JSON = %s, want %s", got, want)
	}
	w.Bool("c", true)
	w.Raw("d", capability.ArrayJSON([]capability.JSON{"1", "{}"}))
	w.OptionalText("e", "y")
	want := capability.JSON(`{"a\"":"x\n","b":-9223372036854775808,"c":true,"d":[1,{}],"e":"y"}`)
	if got := w.JSON(); got != want || w.JSON() != want {
		t.Errorf("JSON = %s, want %s", got, want)
	}
	if got := capability.ArrayJSON(nil); got != "[]" {
		t.Errorf("an empty array is %s", got)
	}
	if got := capability.ArrayOf([]string{"a", `"`}, capability.Quote); got != `["a","\""]` {
		t.Errorf("an array of texts is %s", got)
	}
	if got := capability.ArrayOf(nil, capability.Quote); got != "[]" {
		t.Errorf("an array of nothing is %s", got)
	}
}
