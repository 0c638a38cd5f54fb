package compiler

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// readJSON makes the module's value of its text. Numbers become what JavaScript makes of them.
func (m *module) readJSON(source []byte) error {
	m.code, m.lines = string(source), lineStarts(string(source))
	r := jsonReader{m, json.NewDecoder(bytes.NewReader(source))}
	r.decoder.UseNumber()
	v, err := r.value()
	if err != nil {
		return &BuildError{[]Problem{{File: m.path, Message: "this is no JSON: " + err.Error()}}}
	}
	m.json = &v
	return nil
}

type jsonReader struct {
	m       *module
	decoder *json.Decoder
}

// value reads the next value with all that is in it.
func (r jsonReader) value() (value, error) {
	start := int(r.decoder.InputOffset())
	token, err := r.decoder.Token()
	if err != nil {
		return value{}, err
	}
	for start < len(r.m.code) && bytes.IndexByte([]byte(" \t\r\n:,"), r.m.code[start]) >= 0 {
		start++
	}
	v := value{at: place{r.m, start, int(r.decoder.InputOffset())}, size: 1}
	switch t := token.(type) {
	case json.Delim:
		if t == '[' {
			err = r.elements(&v)
		} else {
			err = r.fields(&v)
		}
		v.at.end = int(r.decoder.InputOffset())
	case json.Number:
		v.kind = kindNumber
		v.text, err = jsonNumber(t)
	case string:
		v.kind, v.text = kindText, t
	case bool:
		v.kind, v.text = kindBool, strconv.FormatBool(t)
	default:
		v.kind = kindNull
	}
	return v, err
}

func jsonNumber(n json.Number) (string, error) {
	f, err := strconv.ParseFloat(n.String(), 64)
	if err != nil {
		return "", fmt.Errorf("%s is no number that JavaScript has", n)
	}
	t, _ := numberText(f)
	return t, nil
}

func (r jsonReader) elements(v *value) error {
	v.kind = kindArray
	for r.decoder.More() {
		item, err := r.value()
		if err != nil {
			return err
		}
		v.items, v.size = append(v.items, item), v.size+item.size
	}
	_, err := r.decoder.Token()
	return err
}

func (r jsonReader) fields(v *value) error {
	v.kind = kindObject
	index := map[string]int{}
	for r.decoder.More() {
		name, err := r.decoder.Token()
		if err != nil {
			return err
		}
		item, err := r.value()
		if err != nil {
			return err
		}
		key := name.(string) // the decoder accepts nothing else
		v.size += item.size
		if i, known := index[key]; known {
			v.members[i].value = item
			continue
		}
		index[key] = len(v.members)
		v.members = append(v.members, member{key, item})
	}
	_, err := r.decoder.Token()
	return err
}
