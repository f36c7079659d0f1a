// SPDX-License-Identifier: Apache-2.0

package protocol

import (
	"encoding/json"
	"hash/fnv"
	"strconv"
	"strings"
)

// Prompt writes the user text of a call, in the layout that the package comment
// describes.
type Prompt struct{ b strings.Builder }

// Value writes a member whose value is JSON.
func (p *Prompt) Value(name string, v any) {
	p.b.WriteString(name + ": ")
	p.json(v)
}

// Task writes the task, and the earlier tasks that it continues.
func (p *Prompt) Task(task string, earlier []string) {
	List(p, "earlier", earlier)
	p.Value("task", task)
}

// Words writes a member whose value is not JSON.
func (p *Prompt) Words(name, text string) { p.b.WriteString(name + ": " + text + "\n") }

// List writes a list of JSON values. If it is empty, it writes nothing.
func List[T any](p *Prompt, name string, items []T) {
	for i, v := range items {
		if i == 0 {
			p.b.WriteString(name + ":\n")
		}
		p.item(v)
	}
}

// item writes one value of a list. It is not a part of List, because there is a copy of that for each type.
//
//go:noinline
func (p *Prompt) item(v any) {
	p.b.WriteString("- ")
	p.json(v)
}

func (p *Prompt) json(v any) {
	e := json.NewEncoder(&p.b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		p.b.WriteString("null\n")
	}
}

// Fenced writes text from outside between fences. The text must not contain nonce.
func (p *Prompt) Fenced(name, nonce string, write func(b *strings.Builder)) {
	p.b.WriteString("<<<" + name + " " + nonce + "\n")
	write(&p.b)
	p.b.WriteString(">>>" + name + " " + nonce + "\n")
}

// String returns the text that was written.
func (p *Prompt) String() string { return p.b.String() }

// Nonce returns a nonce for the fence around lines, which do not contain it. It depends
// on the seed and on the subject of the call, so that a replay sends the same prompt.
func Nonce(lines []string, seed uint64, parts ...string) string {
	for salt := 0; ; salt++ {
		h := fnv.New64a()
		h.Write([]byte(strconv.FormatUint(seed, 36) + "\x00" + strconv.Itoa(salt) + "\x00" + strings.Join(parts, "\x00")))
		n := strconv.FormatUint(h.Sum64()|1<<63, 16)
		held := false
		for _, line := range lines {
			if strings.Contains(line, n) {
				held = true
				break
			}
		}
		if !held {
			return n
		}
	}
}
