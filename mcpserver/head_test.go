package mcpserver

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// FuzzHead compares what is kept of a message that passes by in pieces with what the message says.
func FuzzHead(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":7,"method":"x","params":{"id":1,"method":"y"}}`,
		`{"params":[{"id":3}],"\u0069d":"a\"b\\"}`,
		` { "id" : 1.5 , "id" : null , "method" : 3 } `, `{"id":[1]}`, `{"id":{"a":"}"},"x":"\\"}`, `[{"id":1}]`, `"id"`, `{"method":{}}`, `{}`,
	} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, text string, size int) {
		if size < 1 {
			size = 1
		}
		var h head
		for rest := []byte(text); len(rest) > 0; {
			n := min(size, len(rest))
			h.read(rest[:n])
			rest = rest[n:]
		}
		var members map[string]json.RawMessage
		if strings.ContainsAny(text, "\n") || json.Unmarshal([]byte(text), &members) != nil || members == nil {
			return
		}
		_, method := members["method"]
		var id any
		var want jsonrpc.ID
		if raw := members["id"]; raw != nil && len(raw) <= maxHeadText && json.Unmarshal(raw, &id) == nil {
			want, _ = jsonrpc.MakeID(id)
		}
		if h.id() != want || h.isRequest() != method {
			t.Errorf("of %s the id is %v and a request %v, want %v and %v", text, h.id(), h.isRequest(), want, method)
		}
	})
}

// FuzzLineReader: lines come out as they went in, and of those that are too long the size.
func FuzzLineReader(f *testing.F) {
	f.Add([]byte("one\ntwo\r\n\nthree"), 4)
	f.Add(bytes.Repeat([]byte("x"), lineBuffer*2), lineBuffer)
	f.Fuzz(func(t *testing.T, input []byte, most int) {
		if most < 1 {
			most = 1
		}
		r := newLineReader(bytes.NewReader(input), most)
		want := bytes.Split(input, []byte("\n"))
		for i, text := range want {
			l, err := r.next()
			if last := i == len(want)-1; last != (err == io.EOF) {
				t.Fatalf("line %d of %d ended with %v", i+1, len(want), err)
			}
			tooLong := len(text) > most
			if l.size != len(text) || (l.head != nil) != tooLong || !tooLong && !bytes.Equal(l.text, text) || tooLong && l.text != nil {
				t.Errorf("line %d is %q (%d bytes), want %q", i+1, l.text, l.size, text)
			}
		}
	})
}
