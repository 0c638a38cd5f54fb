package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// DefaultMaxMessage is how many bytes one message may have, both over stdio and over HTTP.
const DefaultMaxMessage = 16 << 20

// Lines is a transport over a pair of streams, with one JSON-RPC message on each line: what MCP calls stdio. It differs
// from the SDK's own in what it does with a line that it cannot take. That line alone fails: a request that is too long
// is answered with an error under its id, an answer that is too long fails the request that it answers, and what is no
// message at all is answered with a parse error. Every other message goes on.
type Lines struct {
	In  io.Reader
	Out io.Writer
	// MaxMessage is how many bytes one incoming line may have; 0 means DefaultMaxMessage.
	MaxMessage int
}

// Stdio is the transport over the program's standard streams. From then on os.Stdout is the standard error: what the
// program or a handler prints must not get between the messages. Call it once.
func Stdio() *Lines {
	out := os.Stdout
	os.Stdout = os.Stderr
	return &Lines{In: os.Stdin, Out: out}
}

// Connect begins to read. A peer that does not read what is written to it holds up writing until ctx or the input has
// ended, and little longer. (It implements mcp.Transport.)
func (l *Lines) Connect(ctx context.Context) (mcp.Connection, error) {
	most := l.MaxMessage
	if most == 0 {
		most = DefaultMaxMessage
	}
	if l.In == nil || l.Out == nil || most < 0 {
		return nil, errors.New("connecting over lines: In and Out are required, and MaxMessage must not be negative")
	}
	c := &lineConn{
		in: newLineReader(l.In, most), out: l.Out, messages: make(chan jsonrpc.Message),
		closed: make(chan struct{}), unheard: make(chan struct{}),
	}
	c.closer, _ = l.In.(io.Closer)
	c.forget = context.AfterFunc(ctx, func() { c.giveUpAfter(lastWords) })
	go c.readAll()
	return c, nil
}

// How long the peer may take to read what is still written once nothing more is expected: after the end of ctx, which is
// somebody who wants the program to end, and after the end of the input, when what it asked may still be answered.
const (
	lastWords   = time.Second
	lastAnswers = 5 * time.Second
)

// lineConn is one connection over lines.
type lineConn struct {
	in       *lineReader
	closer   io.Closer // of the input, nil if it cannot be closed
	messages chan jsonrpc.Message
	failure  error // why messages was closed; set before that

	writing sync.Mutex
	out     io.Writer
	giveUp  sync.Once
	unheard chan struct{} // closed when it is not worth while to write any more
	forget  func() bool   // that ctx is waited for

	once   sync.Once
	closed chan struct{}
}

// readAll reads lines until there are no more. It has a goroutine of its own since reading cannot be interrupted: where
// the input cannot be closed either, as a terminal's, it ends with the program.
func (c *lineConn) readAll() {
	defer c.giveUpAfter(lastAnswers)
	defer close(c.messages)
	for {
		l, err := c.in.next()
		if !c.accept(l) {
			c.failure = io.EOF
			return
		}
		if err != nil {
			c.failure = err
			return
		}
	}
}

// accept hands over what a line says, or answers it. It reports whether the connection is still open.
func (c *lineConn) accept(l line) bool {
	if l.head != nil {
		return c.tooLong(l)
	}
	for _, text := range l.parts() {
		message, failure := decode(text)
		switch {
		case failure == nil && !c.hand(message):
			return false
		case failure != nil:
			h := &head{}
			if failure.Code != jsonrpc.CodeParseError { // of what is no JSON, nothing is to be believed
				h.read(text)
			}
			if !c.fail(h, failure) {
				return false
			}
		}
	}
	return true
}

func (c *lineConn) hand(message jsonrpc.Message) bool {
	select {
	case c.messages <- message:
		return true
	case <-c.closed:
		return false
	}
}

// tooLong fails what an overlong line was about, as far as its beginning and end tell.
func (c *lineConn) tooLong(l line) bool {
	return c.fail(l.head, &jsonrpc.Error{
		Code:    jsonrpc.CodeInvalidRequest,
		Message: fmt.Sprintf("this message has %d bytes, and a message may have %d at most", l.size, c.in.most),
	})
}

// fail is for a message that cannot be taken: its sender gets the failure, under its id if it has one. It reports whether
// the connection is still open.
func (c *lineConn) fail(h *head, failure *jsonrpc.Error) bool {
	switch id := h.id(); {
	case h.isRequest(), !id.IsValid():
		c.reply(&jsonrpc.Response{ID: id, Error: failure})
		return true
	default: // it answers a request of ours, which would wait for ever
		return c.hand(&jsonrpc.Response{ID: id, Error: failure})
	}
}

// reply answers without the SDK. An error means that the peer is gone, which reading will tell.
func (c *lineConn) reply(r *jsonrpc.Response) { _ = c.Write(context.Background(), r) }

// decode reads one message; failure says why it is none.
func decode(text []byte) (message jsonrpc.Message, failure *jsonrpc.Error) {
	if !json.Valid(text) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "this line is not one JSON value"}
	}
	message, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "this line is not a JSON-RPC 2.0 message, or nests too deep"}
	}
	return message, nil
}

// Read gives the next message. (It implements mcp.Connection.)
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case message, open := <-c.messages:
		if !open {
			return nil, c.failure
		}
		return message, nil
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write writes one message and the end of its line.
func (c *lineConn) Write(ctx context.Context, message jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	text, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return fmt.Errorf("encoding a message: %w", err)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	select {
	case <-c.unheard:
		return fmt.Errorf("writing a message: %w", errUnheard) // half a line may be there
	default:
	}
	written := make(chan error, 1)
	go func() { // writing cannot be interrupted either
		_, err := c.out.Write(append(text, '\n'))
		written <- err
	}()
	select {
	case err = <-written:
	case <-c.unheard:
		err = errUnheard
	}
	if err != nil {
		return fmt.Errorf("writing a message: %w", err)
	}
	return nil
}

var errUnheard = errors.New("the peer does not read")

func (c *lineConn) giveUpAfter(patience time.Duration) {
	select {
	case <-time.After(patience):
	case <-c.closed:
	}
	c.giveUp.Do(func() { close(c.unheard) })
}

// Close ends the connection, and closes the input if it can be closed. The output stays as it is.
func (c *lineConn) Close() (err error) {
	c.once.Do(func() {
		c.forget()
		close(c.closed)
		if c.closer != nil {
			err = c.closer.Close()
		}
	})
	return err
}

// SessionID is "": there is one session, the connection.
func (c *lineConn) SessionID() string { return "" }

// parts are the messages of a line: one, or those of a batch, which the oldest clients send.
func (l line) parts() [][]byte {
	text := bytes.TrimSpace(l.text)
	if len(text) == 0 {
		return nil
	}
	var batch []json.RawMessage
	if text[0] != '[' || json.Unmarshal(text, &batch) != nil || len(batch) == 0 {
		return [][]byte{text}
	}
	parts := make([][]byte, len(batch))
	for i, part := range batch {
		parts[i] = part
	}
	return parts
}
