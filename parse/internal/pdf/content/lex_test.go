// SPDX-License-Identifier: Apache-2.0

package content

import (
	"bytes"
	"strings"
	"testing"

	"example.com/curlew/parse/internal/pdf/object"
)

// TestDepth reads nested dictionaries, as values and as keys, to a bounded
// depth. The operator after them must still be found.
func TestDepth(t *testing.T) {
	depth := func(o object.Object) (n int) {
		for {
			d, ok := o.(object.Dict)
			if !ok {
				return n
			}
			o = d["A"]
			n++
		}
	}
	for what, open := range map[string]string{"values": "/A <<", "keys": "<<", "values and lists": "/A [<<"} {
		l := lexer{data: []byte("<<" + strings.Repeat(open, 100_000) + strings.Repeat(">>", 100_001) + " ET")}
		op := l.next()
		if len(l.args) == 0 || depth(l.args[0].dict) > maxDictDepth+1 {
			t.Errorf("%s: %d operands", what, len(l.args))
		}
		for ; op != nil && !bytes.Equal(op, []byte("ET")); op = l.next() {
		}
		if op == nil {
			t.Errorf("%s: the operator behind them is lost", what)
		}
	}
	// The stack of a goroutine may have a gigabyte.
	l := lexer{data: bytes.Repeat([]byte("/A <<"), 8<<20)}
	for l.next() != nil {
	}
}

// TestOperandEnds checks that reading stops inside an operand of any length.
func TestOperandEnds(t *testing.T) {
	for _, begin := range []string{"[", "[(\\n", "(\\n", "<", "<</A ", "%", "/A ", " "} {
		asked := 0
		l := lexer{data: []byte(begin + strings.Repeat("a ", 2<<20)), ended: func() bool { asked++; return asked == 3 }}
		for l.next() != nil {
		}
		if asked < 3 {
			t.Errorf("%q: asked %d times, want 3", begin, asked)
		}
	}
}

// TestOperandBounds checks the bounds on arrays and strings.
func TestOperandBounds(t *testing.T) {
	for _, data := range []string{"[" + strings.Repeat("1 ", maxItems+9) + "] TJ", "(\\n" + strings.Repeat("a", maxText+9) + ") Tj"} {
		l := lexer{data: []byte(data)}
		if op := l.next(); op == nil || !l.cut || len(l.items) > maxItems || len(l.buf) > maxText {
			t.Errorf("%q: %q, cut %v, %d items, %d bytes", data[:9], op, l.cut, len(l.items), len(l.buf))
		}
	}
}
