// SPDX-License-Identifier: Apache-2.0

package site

import (
	"fmt"
	"strings"
)

// Spellings is the number of spellings of a link. According to the WHATWG URL
// and HTML standards, all of them mean the same page.
const Spellings = 31

// writeLink writes a link to the path to in one spelling, on a page of host
// whose base URL has the path from.
func writeLink(b *strings.Builder, spelling int, host, from, to string) {
	amp := strings.ReplaceAll(to, "&", "&amp;")
	quoted := func(href string) { fmt.Fprintf(b, `<a href="%s">to</a>`, href) }
	switch spelling {
	case 1:
		quoted("http://" + host + amp)
	case 2:
		quoted(relative(from, amp))
	case 3:
		quoted("./" + relative(from, amp))
	case 4:
		quoted(strings.Repeat("../", strings.Count(pathOnly(from), "/")+1) + amp[1:])
	case 5:
		quoted("//" + host + amp)
	case 6:
		quoted("&#47;" + amp[1:])
	case 7:
		if strings.ContainsAny(to, "=&") {
			quoted(amp)
			return
		}
		fmt.Fprintf(b, `<a href=%s>to</a>`, to)
	case 8:
		fmt.Fprintf(b, `<a href='%s'>to</a>`, amp)
	case 9:
		fmt.Fprintf(b, `<A HREF="%s">to</A>`, amp)
	case 10:
		quoted("  \t" + amp + "\n ")
	case 11:
		half := len(amp) / 2
		for half < len(amp) && strings.ContainsAny(amp[max(0, half-5):half], "&%") {
			half++
		}
		quoted(amp[:half] + "\n\t" + amp[half:])
	case 12:
		quoted(amp + "#part-2")
	case 13:
		quoted("/x/y/../.." + amp)
	case 14:
		quoted("/." + amp)
	case 15:
		quoted("/%2e" + amp)
	case 16:
		quoted("HTTP://" + strings.ToUpper(host) + amp)
	case 17:
		fmt.Fprintf(b, `<map><area href="%s"></map>`, amp)
	case 18:
		fmt.Fprintf(b, `<link rel="next" href="%s">`, amp)
	case 19:
		fmt.Fprintf(b, `<iframe src="%s"></iframe>`, amp)
	case 20:
		quoted("&#x2f;" + amp[1:])
	case 21:
		quoted(`\` + amp[1:])
	case 22:
		fmt.Fprintf(b, `<a class="x" data-href="%sd" href="%s" title="a > b">to</a>`, decoyDir, amp)
	case 23:
		fmt.Fprintf(b, `<a href="%s"><b><img src="/i.png" alt="i"></b></a>`, amp)
	case 24:
		fmt.Fprintf(b, `<a href="%s">to`, amp)
	case 25:
		fmt.Fprintf(b, `<a rel="nofollow" href="%s">to</a>`, amp)
	case 26:
		fmt.Fprintf(b, `<svg><a xlink:href="%s"><text>to</text></a></svg>`, amp)
	case 27:
		fmt.Fprintf(b, "<a\n\thref\n =\n \"%s\"\n>to</a>", amp)
	case 28:
		fmt.Fprintf(b, `<a href="%s" href="%ssecond">to</a>`, amp, decoyDir)
	case 29:
		quoted(strings.ReplaceAll(amp, "%C3%A9", "é"))
	case 30:
		fmt.Fprintf(b, `<a href="%s"/>to</a>`, amp)
	default:
		quoted(amp)
	}
}

// relative returns to relative to the directory of from.
func relative(from, to string) string {
	dir := pathOnly(from)
	dir = dir[:strings.LastIndexByte(dir, '/')+1]
	if rest, ok := strings.CutPrefix(to, dir); ok && rest != "" && !strings.HasPrefix(rest, "?") {
		return rest
	}
	return strings.Repeat("../", strings.Count(dir, "/")-1) + to[1:]
}

func pathOnly(p string) string {
	p, _, _ = strings.Cut(p, "?")
	return p
}
