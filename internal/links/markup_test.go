// SPDX-License-Identifier: Apache-2.0

package links

import (
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"example.com/curlew/internal/weburl"
)

// mix returns up to n random pieces, concatenated.
func mix(random *rand.Rand, n int, pieces ...string) string {
	var b strings.Builder
	for range random.IntN(n + 1) {
		b.WriteString(pieces[random.IntN(len(pieces))])
	}
	return b.String()
}

// TestAttributes compares the parsing of tags with the tokenizer of x/net/html.
func TestAttributes(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	for range 100_000 {
		text := "<x" + mix(random, 12, " ", "/", "=", "\"", "'", "a", "A", "href", "b=c", ">", "<", "\n", "\t", "\f", "\r", "é", "&amp;", "&lt", "&#", "x=\"y\"")
		z := html.NewTokenizer(strings.NewReader(text))
		kind := z.Next()
		ours := tag{text: text}
		ok := ours.start(nameEnd(text, 1))
		if (kind != html.ErrorToken) != ok {
			t.Fatalf("seed %d: %q is a tag: %v, to the tokenizer: %v", seed, text, ok, kind)
		}
		if !ok {
			continue
		}
		if want := len(z.Raw()); ours.end != want {
			t.Fatalf("seed %d: %q ends at %d, to the tokenizer at %d", seed, text, ours.end, want)
		}
		// If a name is repeated, both use its first value. Whether the tag ends with
		// a slash is not compared, because that matters only for foreign elements.
		seen := map[string]bool{}
		for _, a := range z.Token().Attr {
			got, ok := ours.attr(a.Key)
			if !ok || got != a.Val {
				t.Fatalf("seed %d: %s of %q = %q, %v; to the tokenizer %q", seed, a.Key, text, got, ok, a.Val)
			}
			seen[a.Key] = true
		}
		for _, s := range ours.spans {
			if key := lower(text[s.key:s.keyEnd]); key != "" && !seen[key] {
				t.Fatalf("seed %d: %q has %q, to the tokenizer it has not", seed, text, key)
			}
		}
	}
}

// TestUnescape compares the references in attributes with the tokenizer.
func TestUnescape(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	for range 100_000 {
		text := mix(random, 8, "&", ";", "=", "#", "x", "X", "amp", "lt", "copy", "not", "in", "notin", "nvlt", "fjlig", "semi", "quot", "AMP",
			"Aacute", "frac12", "128", "0", "38", "1114112", "99999999999", "D800", "a", " ", "é", "sup1", "hellip", "CounterClockwiseContourIntegral")
		z := html.NewTokenizer(strings.NewReader(`<x a="` + text + `">`))
		z.Next()
		want := z.Token().Attr[0].Val
		if strings.ContainsFunc(want, isControl) {
			continue // removed, see numeric
		}
		if got := unescape(text); got != want {
			t.Fatalf("seed %d: unescape(%q) = %q, want %q", seed, text, got, want)
		}
	}
}

// TestRaw compares the ends of elements whose content is text with the
// tokenizer.
func TestRaw(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	for _, name := range []string{"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"} {
		for range 20_000 {
			text := mix(random, 12, "<", "/", "!", "-", "--", ">", "<!--", "-->", "<!-->", "<script", "<script>", "</script", "</script>", "</SCRIPT ",
				"</"+name, "</"+name+">", "</"+strings.ToUpper(name)+"/", "x", " ", "\n", "scrip")
			z := html.NewTokenizer(strings.NewReader("<" + name + ">" + text))
			z.Next()
			start := len(z.Raw())
			want := start
			if z.Next(); z.Err() == nil {
				if raw := string(z.Raw()); !isEndTag(raw, name) {
					want += len(raw)
				}
			}
			if got := rawEnd("<"+name+">"+text, start, name); got != want {
				t.Fatalf("seed %d: %s with %q ends at %d, want %d", seed, name, text, got-start, want-start)
			}
		}
	}
}

// TestComments compares the ends of comments with the tokenizer.
func TestComments(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	for range 100_000 {
		text := "<!--" + mix(random, 10, "-", "--", "!", ">", "<", "x", "<!--", " ")
		z := html.NewTokenizer(strings.NewReader(text))
		z.Next()
		if got, want := commentEnd(text, len("<!--")), len(z.Raw()); got != want {
			t.Fatalf("seed %d: %q ends at %d, want %d", seed, text, got, want)
		}
	}
}

func TestRefresh(t *testing.T) {
	tests := []struct {
		in, want string
		ok       bool
	}{
		{"0;url=x", "x", true},
		{" 5 ; URL = x y ", "x y ", true},
		{"5,x", "x", true},
		{"5 x", "x", true},
		{"1.5.;x", "x", true},
		{".;x", "x", true},
		{"5;url='x'y", "x", true},
		{`5;url="x`, "x", true},
		{`5;'x'`, "x", true},
		{"5;urlx", "urlx", true},
		{"5;url", "url", true},
		{"5;u", "u", true},
		{"5;url=", "", true},
		{"5;", "", false},
		{"5", "", false},
		{"", "", false},
		{";x", "", false},
		{"x", "", false},
		{"-1;x", "", false},
		{"5x", "", false},
	}
	for _, tt := range tests {
		if got, ok := weburl.Refresh(tt.in); got != tt.want || ok != tt.ok {
			t.Errorf("Refresh(%q) = %q, %v; want %q, %v", tt.in, got, ok, tt.want, tt.ok)
		}
	}
}

func TestHasToken(t *testing.T) {
	for list, want := range map[string]bool{
		"next": true, " NEXT ": true, "a\tnext\nb": true, "": false, "nextx": false, "a-next": false, "ne xt": false,
	} {
		if got := hasToken(list, "next"); got != want {
			t.Errorf("hasToken(%q) = %v, want %v", list, got, want)
		}
	}
}

func TestDataDocument(t *testing.T) {
	tests := []struct {
		in, want string
		ok       bool
	}{
		{"data:text/html,<a>", "<a>", true},
		{" \nDATA:Text/HTML ;x=y,%3Ca%3E%", "<a>%", true},
		{"data:text/html,a\tb\nc#d", "abc", true},
		{"data:text/html;base64,PGE+", "<a>", true},
		{"data:text/html; BASE64 ,PG%45+%20", "<a>", true},
		{"data:text/html,%FF", "\uFFFD", true},
		{"data:text/html;base64,?", "", false},
		{"data:text/htm,x", "", false},
		{"data:,x", "", false},
		{"data:text/html", "", false},
		{"xdata:text/html,x", "", false},
		{"data:", "", false},
	}
	for _, tt := range tests {
		got, ok := dataDocument(tt.in)
		if ok != tt.ok || ok && got != tt.want {
			t.Errorf("dataDocument(%q) = %q, %v; want %q, %v", tt.in, got, ok, tt.want, tt.ok)
		}
	}
}

// TestKnown checks that the scanner's tables contain each name under its first
// letter, and no others.
func TestKnown(t *testing.T) {
	for name, want := range map[string]string{
		"a": "a", "A": "a", "b": "", "Area": "area", "IFRAME": "iframe", "linkx": "", "lin": "", "ſvg": "", "svg": "svg",
		"plaintext": "plaintext", "x-y": "", "noscript": "noscript", "tD": "td", "!": "",
	} {
		if got := known(name); got != want {
			t.Errorf("known(%q) = %q, want %q", name, got, want)
		}
	}
}
