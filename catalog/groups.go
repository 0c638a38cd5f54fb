package catalog

// members is a set.
type members map[*member]struct{}

func (s members) add(list ...*member) {
	for _, m := range list {
		s[m] = struct{}{}
	}
}

// groups are values by something that they share.
type groups[K, V comparable] map[K]map[V]struct{}

// add gives the group that the value is in now.
func (g groups[K, V]) add(key K, value V) map[V]struct{} {
	if g[key] == nil {
		g[key] = map[V]struct{}{}
	}
	g[key][value] = struct{}{}
	return g[key]
}

// remove gives the group that is left.
func (g groups[K, V]) remove(key K, value V) map[V]struct{} {
	left := g[key]
	if delete(left, value); len(left) == 0 {
		delete(g, key)
	}
	return left
}

// lonely are the values of a group in which one value more or less decides whether it is the only one.
func lonely[V comparable](group map[V]struct{}) map[V]struct{} {
	if len(group) > 2 {
		return nil
	}
	return group
}
