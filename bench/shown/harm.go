// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"math/rand/v2"
	"regexp"
)

// A harm is a way in which pages are damaged.
type harm struct {
	name string
	do   func(*rand.Rand, []byte) []byte
}

var (
	anyTag   = regexp.MustCompile(`<[a-zA-Z][^<>]*>`)
	endTag   = regexp.MustCompile(`</[a-zA-Z][^<>]*>`)
	table    = regexp.MustCompile(`(?i)<(table|tbody|tr)\b[^<>]*>`)
	block    = regexp.MustCompile(`(?i)<(p|div|li|h[1-6]|td)\b[^<>]*>`)
	labelled = regexp.MustCompile(`(?i)charset=(["']?)[-\w]+`)
)

// harms are all kinds of damage.
var harms = []harm{
	{"cut in a tag", func(r *rand.Rand, b []byte) []byte {
		at := pick(r, b, anyTag)
		return b[:at[0]+(at[1]-at[0])/2]
	}},
	{"cut", func(r *rand.Rand, b []byte) []byte { return b[:len(b)/4+r.IntN(len(b)*3/4+1)] }},
	{"end tags missing", func(r *rand.Rand, b []byte) []byte {
		return endTag.ReplaceAllFunc(b, func(tag []byte) []byte {
			if r.IntN(5) == 0 && !bytes.HasPrefix(tag, []byte("</s")) {
				return nil
			}
			return tag
		})
	}},
	{"end tags swapped", func(r *rand.Rand, b []byte) []byte {
		all := endTag.FindAll(b, -1)
		i := 0
		return endTag.ReplaceAllFunc(b, func(tag []byte) []byte {
			if i++; i < len(all) && r.IntN(10) == 0 && !bytes.HasPrefix(tag, []byte("</s")) {
				return all[i]
			}
			return tag
		})
	}},
	{"wrong label", func(r *rand.Rand, b []byte) []byte {
		label := []string{"iso-8859-1", "shift_jis", "utf-8", "windows-1251", "utf-16", "gbk"}[r.IntN(6)]
		return labelled.ReplaceAll(b, []byte("charset=${1}"+label))
	}},
	{"NUL bytes", func(r *rand.Rand, b []byte) []byte {
		b = bytes.Clone(b)
		for range 50 {
			b[r.IntN(len(b))] = 0
		}
		return b
	}},
	{"doubled attributes", func(r *rand.Rand, b []byte) []byte {
		return anyTag.ReplaceAllFunc(b, func(tag []byte) []byte {
			if r.IntN(4) > 0 {
				return tag
			}
			return append(bytes.TrimRight(bytes.Clone(tag), "/>"), ` class="second" class='third' style>`...)
		})
	}},
	{"comment", insert("<!-- ", "<!--[if IE]> ", "<!-- a -- b --!> ", "<![CDATA[ x ", "<? php ", "<!-->", "</ p>")},
	{"script", insert("<script>", "<style>", "<script>/* </scrip t> <!-- <script> ", "<noscript>", "<noframes>", "<template>")},
	{"field", insert("<textarea>", "<select><option>one", "<title>", "<button>", "<xmp>", "<plaintext>", "<iframe>", "<noembed>")},
	{"text in table", func(r *rand.Rand, b []byte) []byte {
		return table.ReplaceAllFunc(b, func(tag []byte) []byte {
			return append(bytes.Clone(tag), " fostered words <b>outside <p>of cells</b> "...)
		})
	}},
	{"nested", func(r *rand.Rand, b []byte) []byte {
		return block.ReplaceAllFunc(b, func(tag []byte) []byte {
			if r.IntN(8) > 0 {
				return tag
			}
			all := []string{"<form><form>inner form ", "<a href=x><a href=y>", "<button><button>", "<table><table>", "<h1><h2>", "<b><i></b>", "<p><table><td>", "<svg><desc>", "<math><mi>", "<select>", "<caption>", "<frameset>", "<details>", "<dialog>", "<object>", "<video>", "<nobr><nobr>"}
			return append(bytes.Clone(tag), all[r.IntN(len(all))]...)
		})
	}},
	{"open quote", func(r *rand.Rand, b []byte) []byte {
		at := pick(r, b, anyTag)
		if i := bytes.LastIndexAny(b[at[0]:at[1]], `"'`); i > 0 {
			return append(bytes.Clone(b[:at[0]+i]), b[at[0]+i+1:]...)
		}
		return b
	}},
}

// pick returns the place of one match of x in the last three quarters of b, which always has one.
func pick(r *rand.Rand, b []byte, x *regexp.Regexp) []int {
	all := x.FindAllIndex(b, -1)
	if len(all) == 0 {
		return []int{len(b), len(b)}
	}
	return all[len(all)/4+r.IntN(len(all)-len(all)/4)]
}

// insert returns a harm that puts one of texts before a block in the middle.
func insert(texts ...string) func(*rand.Rand, []byte) []byte {
	return func(r *rand.Rand, b []byte) []byte {
		at := pick(r, b, block)
		return bytes.Join([][]byte{b[:at[0]], []byte(texts[r.IntN(len(texts))]), b[at[0]:]}, nil)
	}
}
