package mcpserver

import (
	"bufio"
	"errors"
	"io"
)

// lineReader reads lines of a bounded length. Of a longer one it keeps the head only.
type lineReader struct {
	buffer *bufio.Reader
	most   int
}

// line is one line without its end. head is set, and text is not, when it is longer than a line may be.
type line struct {
	text []byte
	size int
	head *head
}

const lineBuffer = 64 << 10

func newLineReader(in io.Reader, most int) *lineReader {
	return &lineReader{bufio.NewReaderSize(in, lineBuffer), most}
}

// next is the next line. The last one may come with the error that ends the input.
func (r *lineReader) next() (l line, err error) {
	for {
		part, err := r.buffer.ReadSlice('\n')
		ended := err == nil
		if ended {
			part = part[:len(part)-1]
		}
		l.add(part, r.most)
		if !ended && !errors.Is(err, bufio.ErrBufferFull) {
			return l, err
		}
		if ended {
			return l, nil
		}
	}
}

func (l *line) add(part []byte, most int) {
	l.size += len(part)
	switch {
	case l.head != nil:
		l.head.read(part)
	case l.size <= most:
		l.text = append(l.text, part...)
	default:
		l.head = &head{}
		l.head.read(l.text)
		l.head.read(part)
		l.text = nil
	}
}
