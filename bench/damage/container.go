// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
)

// member is an entry of a container.
type member struct {
	name string
	data []byte
	torn bool // its checksum is that of other data
}

// repack returns a copy of data whose container or whose declared code page is
// damaged: parts are swapped, duplicated, emptied, removed or cut between two
// elements, relationships get other IDs, types or targets, entries are missing in the
// directory, or the directory ends too early. Some parts are cut although their checksum is
// right for what is left. Elements get the ID of another one, or parts the content type of
// another one. References by number are out of range, and end tags are missing. Data that is no container gets another code page. It returns nil if there is nothing to damage.
func repack(r *rand.Rand, data []byte) []byte {
	if !bytes.HasPrefix(data, []byte("PK")) {
		return recode(r, data)
	}
	all := members(data)
	if len(all) < 3 {
		return nil
	}
	for range 8 {
		if out := rebuild(r, all); out != nil {
			return out
		}
	}
	return nil
}

// members returns the entries of a container.
func members(data []byte) (all []member) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil
	}
	for _, f := range z.File {
		src, err := f.Open()
		if err != nil {
			return nil
		}
		part, err := io.ReadAll(io.LimitReader(src, maxInflated))
		if err != nil {
			return nil
		}
		all = append(all, member{name: f.Name, data: part})
	}
	return all
}

// The damage of a container.
const (
	swapped = iota
	duplicated
	duplicatedBefore
	emptied
	removed
	shortened
	renumbered
	retargeted
	unlisted
	undirected
	recoded
	styleless
	retyped
	torn
	mistyped
	sameID
	outOfRange
	unclosed
	damages
)

var (
	relationID     = regexp.MustCompile(`\bId="([^"]*)"`)
	relationType   = regexp.MustCompile(`\bType="([^"]*)"`)
	relationTarget = regexp.MustCompile(`\bTarget="([^"]*)"`)
	styleParts     = regexp.MustCompile(`(?i)(styles|numbering|theme\d*|sharedStrings|slideLayout\d+|toc|content)\.(xml|ncx|opf)$`)
	contentType    = regexp.MustCompile(`\bContentType="([^"]*)"`)
	anyID          = regexp.MustCompile(`(?:^|[\s:])(?:id|idx|name|numId|paraId|styleId|ref)="([^"]*)"`)
	anyNumber      = regexp.MustCompile(`(?:<v>|[\s:](?:val|id|s|idx|style-name|ref)=")(\d+)`)
	endTag         = regexp.MustCompile(`(</[A-Za-z0-9:]+>)`)
	declared       = regexp.MustCompile(`(?i)(encoding=["']|charset=["']?)(utf-8|iso-8859-1|windows-1252|us-ascii)`)
)

// rebuild returns a container with one kind of damage, or nil if the chosen part does not
// admit it.
func rebuild(r *rand.Rand, from []member) []byte {
	all := slices.Clone(from)
	i, kind := r.IntN(len(all)), r.IntN(damages)
	if kind == mistyped {
		i = max(slices.IndexFunc(all, func(m member) bool { return m.name == "[Content_Types].xml" }), 0)
	}
	m := &all[i]
	switch kind {
	case swapped:
		j := r.IntN(len(all))
		if i == j || path.Ext(m.name) != path.Ext(all[j].name) {
			return nil
		}
		m.data, all[j].data = all[j].data, m.data
	case duplicated, duplicatedBefore:
		j := r.IntN(len(all))
		if i == j || path.Ext(m.name) != path.Ext(all[j].name) {
			return nil
		}
		at := len(all)
		if kind == duplicatedBefore {
			at = 0
		}
		all = slices.Insert(all, at, member{name: m.name, data: all[j].data})
	case emptied:
		m.data = nil
	case removed:
		all = slices.Delete(all, i, i+1)
	case styleless:
		if !styleParts.MatchString(m.name) {
			return nil
		}
		all = slices.Delete(all, i, i+1)
	case shortened:
		if m.data = shorten(r, m.data); m.data == nil {
			return nil
		}
	case renumbered, retargeted, retyped:
		if path.Ext(m.name) != ".rels" {
			return nil
		}
		re := relationID
		switch kind {
		case retargeted:
			re = relationTarget
		case retyped:
			re = relationType
		}
		if m.data = replaceOne(r, re, m.data, "rId999"); m.data == nil {
			return nil
		}
	case torn:
		if len(m.data) < 2 {
			return nil
		}
		m.data, m.torn = m.data[:r.IntN(len(m.data))], true
	case mistyped, sameID, outOfRange, unclosed:
		if m.data = rewrite(r, kind, m.data); m.data == nil {
			return nil
		}
	case recoded:
		if m.data = recode(r, m.data); m.data == nil {
			return nil
		}
	case unlisted:
		return write(all, i, false, r)
	case undirected:
		return write(all, -1, true, r)
	}
	return write(all, -1, false, r)
}

var siblings = regexp.MustCompile(`</([A-Za-z0-9:]+)>\s*<([A-Za-z0-9:]+)[\s>]`)

// shorten removes some elements that follow each other and have the same name, so that
// the XML stays well-formed. It returns nil if there are none.
func shorten(r *rand.Rand, data []byte) []byte {
	found := siblings.FindAllSubmatchIndex(data, 20_000)
	found = slices.DeleteFunc(found, func(m []int) bool { return !bytes.Equal(data[m[2]:m[3]], data[m[4]:m[5]]) })
	if len(found) < 2 {
		return nil
	}
	i := r.IntN(len(found) - 1)
	name := data[found[i][2]:found[i][3]]
	last := i
	for j := i + 1; j < len(found) && j < i+1+r.IntN(40); j++ {
		if bytes.Equal(data[found[j][2]:found[j][3]], name) {
			last = j
		}
	}
	if last == i {
		return nil
	}
	from, to := found[i][4]-1, found[last][4]-1
	if bytes.Count(data[from:to], append([]byte("</"), name...)) != bytes.Count(data[from:to], append([]byte("<"), name...)) {
		return nil
	}
	return slices.Concat(data[:from], data[to:])
}

// rewrite returns a part with one value or end tag changed. It returns nil if there is none.
func rewrite(r *rand.Rand, kind int, data []byte) []byte {
	switch kind {
	case mistyped:
		return replaceOne(r, contentType, data, "application/octet-stream")
	case sameID:
		return replaceOne(r, anyID, data, "x")
	case outOfRange:
		return replaceOne(r, anyNumber, data, "99999")
	default:
		return replaceOne(r, endTag, data, "")
	}
}

// replaceOne replaces the group of one match by that of another, or by a value that no match
// has.
func replaceOne(r *rand.Rand, re *regexp.Regexp, data []byte, strange string) []byte {
	found := re.FindAllSubmatchIndex(data, -1)
	if len(found) == 0 {
		return nil
	}
	m, other := found[r.IntN(len(found))], []byte(strange)
	if n := found[r.IntN(len(found))]; len(found) > 1 && strange != "" && r.IntN(2) == 0 {
		other = data[n[2]:n[3]]
	}
	return slices.Concat(data[:m[2]], other, data[m[3]:])
}

// recode replaces the declared code page. It returns nil if there is none.
func recode(r *rand.Rand, data []byte) []byte {
	found := declared.FindAllSubmatchIndex(data, -1)
	if len(found) == 0 {
		return nil
	}
	m := found[r.IntN(len(found))]
	others := []string{"utf-8", "iso-8859-1", "windows-1251", "utf-16", "koi8-r", "shift_jis", "x-unknown"}
	return slices.Concat(data[:m[4]], []byte(others[r.IntN(len(others))]), data[m[5]:])
}

// write writes a container. The directory lacks entry without, and ends too early if cut is
// set.
func write(all []member, without int, cut bool, r *rand.Rand) []byte {
	var out, directory bytes.Buffer
	count := 0
	for i, m := range all {
		at := out.Len()
		h := make([]byte, 30)
		copy(h, "PK\x03\x04\x14\x00")
		sum := crc32.ChecksumIEEE(m.data)
		if m.torn {
			sum++
		}
		binary.LittleEndian.PutUint32(h[14:], sum)
		binary.LittleEndian.PutUint32(h[18:], uint32(len(m.data))) //nolint:gosec // documents are smaller than 4 GiB, and names than 64 KiB
		binary.LittleEndian.PutUint32(h[22:], uint32(len(m.data))) //nolint:gosec // documents are smaller than 4 GiB, and names than 64 KiB
		binary.LittleEndian.PutUint16(h[26:], uint16(len(m.name))) //nolint:gosec // documents are smaller than 4 GiB, and names than 64 KiB
		out.Write(h)
		out.WriteString(m.name)
		out.Write(m.data)
		if i == without {
			continue
		}
		count++
		c := make([]byte, 46)
		copy(c, "PK\x01\x02\x14\x00\x14\x00")
		copy(c[16:30], h[14:28])
		binary.LittleEndian.PutUint32(c[42:], uint32(at)) //nolint:gosec // documents are smaller than 4 GiB, and names than 64 KiB
		directory.Write(c)
		directory.WriteString(m.name)
	}
	end := make([]byte, 22)
	copy(end, "PK\x05\x06")
	binary.LittleEndian.PutUint16(end[8:], uint16(count))
	binary.LittleEndian.PutUint16(end[10:], uint16(count))
	binary.LittleEndian.PutUint32(end[12:], uint32(directory.Len())) //nolint:gosec // documents are smaller than 4 GiB, and names than 64 KiB
	binary.LittleEndian.PutUint32(end[16:], uint32(out.Len()))       //nolint:gosec // documents are smaller than 4 GiB, and names than 64 KiB
	if cut {
		return slices.Concat(out.Bytes(), directory.Bytes()[:r.IntN(directory.Len())])
	}
	return slices.Concat(out.Bytes(), directory.Bytes(), end)
}
