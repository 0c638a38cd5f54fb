// Command empty does nothing: what it takes to start is what any Go program in a page takes.
package main

func main() {}
