package jsbridge

// table holds values under numbers that the script keeps. A number is never used for two values.
type table[T any] struct {
	values map[int32]T
	last   int32
}

func (t *table[T]) add(value T) int32 {
	if t.values == nil {
		t.values = map[int32]T{}
	}
	t.last++
	t.values[t.last] = value
	return t.last
}

// get is the value under id, the zero value when there is none.
func (t *table[T]) get(id int32) (T, bool) {
	value, ok := t.values[id]
	return value, ok
}

func (t *table[T]) remove(id int32) { delete(t.values, id) }

func (t *table[T]) size() int { return len(t.values) }
