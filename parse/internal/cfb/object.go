// SPDX-License-Identifier: Apache-2.0

package cfb

import (
	"bytes"
	"encoding/binary"
	"path"
	"slices"
	"strings"
	"unicode/utf16"
)

// Object is a document or a file that is embedded in another document.
type Object struct {
	Program string // program that made it; "" if unknown
	Name    string // name of the file; "" if it has none
	Data    []byte // nil if it cannot be extracted
	Formula []byte // stream of a formula of an equation editor, instead of Data
}

// Objects returns the objects that are storages of s with a prefix. Together
// they have at most limit bytes; the data of the others is nil.
func (s *Storage) Objects(prefix string, limit int64) (objects []Object) {
	if s == nil {
		return nil
	}
	for _, child := range s.Storages {
		if !strings.HasPrefix(child.Name, prefix) {
			continue
		}
		o := child.Object(limit)
		limit -= int64(len(o.Data))
		objects = append(objects, o)
	}
	return objects
}

// documents are the streams by which a storage is known to be an Office document.
var documents = []string{"WordDocument", "Workbook", "Book", "PowerPoint Document", "EncryptedPackage", "__properties_version1.0"}

// IsDocument reports whether s itself is an Office document.
func (s *Storage) IsDocument() bool { return slices.ContainsFunc(documents, s.Has) }

// Object returns the object that s is. Its data has at most limit bytes.
func (s *Storage) Object(limit int64) Object {
	o := Object{Program: s.program()}
	if s.IsDocument() {
		o.Data = s.pack(limit)
		return o
	}
	if b := s.Stream("Equation Native"); int64(len(b)) <= limit {
		o.Formula = b
	}
	// Programs write documents of other formats as one stream ([MS-OLEDS]
	// 2.3.6, and the names of Acrobat and LibreOffice).
	for _, name := range []string{"Package", "CONTENTS", "EmbeddedOdf", "package_stream"} {
		if b := s.Stream(name); len(b) > 0 && int64(len(b)) <= limit {
			o.Data = b
			return o
		}
	}
	if b := s.Stream("\x01Ole10Native"); len(b) > 4 && int64(len(b)) <= limit {
		b = b[4:]
		if name, data := Packaged(b); data != nil {
			o.Name, o.Data = name, data
		} else {
			o.Data = b
		}
	}
	return o
}

// program returns the name of the program that wrote the object ([MS-OLEDS]
// 2.3.8), or "".
func (s *Storage) program() string {
	const at = 28
	b := s.Stream("\x01CompObj")
	if len(b) <= at+4 {
		return ""
	}
	size := int64(binary.LittleEndian.Uint32(b[at:]))
	if size <= 1 || size > int64(len(b)-at-4) || size >= 100 {
		return ""
	}
	return Text(bytes.TrimRight(b[at+4:at+4+int(size)], "\x00"), 1252)
}

// Packaged reads a file that the program Packager has embedded: a label, a name
// and a path, in the code page of the system, and then the bytes of the file. The
// data is nil if b has another format.
func Packaged(b []byte) (name string, data []byte) {
	const packager = 2
	if len(b) < 2 || binary.LittleEndian.Uint16(b) != packager {
		return "", nil
	}
	b = b[2:]
	var texts [2]string
	for i := range texts {
		text, rest, ok := bytes.Cut(b, []byte{0})
		if !ok || len(text) > 1<<10 {
			return "", nil
		}
		texts[i], b = Text(text, 1252), rest
	}
	if len(b) < 8 {
		return "", nil
	}
	size := int64(binary.LittleEndian.Uint32(b[4:])) // size of the path of a temporary file
	if b = b[8:]; size+4 > int64(len(b)) {
		return "", nil
	}
	b = b[size:]
	size = int64(binary.LittleEndian.Uint32(b))
	if b = b[4:]; size > int64(len(b)) {
		return "", nil
	}
	name = texts[1]
	if name == "" {
		name = texts[0]
	}
	return path.Base(strings.ReplaceAll(name, `\`, "/")), b[:size:size]
}

// node is one entry of the directory that pack writes.
type node struct {
	name    string
	data    []byte
	storage *Storage // nil for a stream

	child, next, start uint32
}

const none = 0xFFFFFFFF // an entry or a sector that does not exist

// maxPacked is the maximum number of bytes of an object that is a storage. The
// containers that write makes have no DIFAT sectors, so their FAT describes at
// most 446 MB.
const maxPacked = 256 << 20

// pack returns s as a container of its own, or nil if it would have more than limit
// bytes. Its directory is a list, not a balanced tree, and it has no mini stream.
func (s *Storage) pack(limit int64) []byte {
	limit = min(limit, maxPacked)
	nodes := []node{{name: "Root Entry", storage: s, child: none, next: none}}
	total := int64(0)
	for i := 0; i < len(nodes); i++ { // breadth first: children follow each other
		from := nodes[i].storage
		if from == nil {
			continue
		}
		add := func(n node) {
			n.child, n.next = none, none
			if last := len(nodes) - 1; last > i && nodes[i].child != none {
				nodes[last].next = uint32(len(nodes)) //nolint:gosec // the directory has at most maxEntries
			} else {
				nodes[i].child = uint32(len(nodes)) //nolint:gosec // the same
			}
			nodes = append(nodes, n)
		}
		names := make([]string, 0, len(from.streams))
		for name := range from.streams {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			data := from.Stream(name)
			if total += (int64(len(data))+cutoff-1)/cutoff*cutoff + entrySize; total > limit {
				return nil
			}
			add(node{name: name, data: data})
		}
		for _, sub := range from.Storages {
			if total += entrySize; total > limit {
				return nil
			}
			add(node{name: sub.Name, storage: sub})
		}
	}
	return write(nodes)
}

// write returns a container of version 4 with these entries. The first is the
// root. The sectors of each stream are consecutive. The last one is padded with
// zeros.
func write(nodes []node) []byte {
	const size, endOfChain = 4096, maxSector + 4
	sectors := func(n int) int { return (n + size - 1) / size }
	chains := []int{sectors(len(nodes) * entrySize)} // sectors of the directory and of each stream
	used := chains[0]
	for i := range nodes {
		nodes[i].start = endOfChain
		if n := sectors(len(nodes[i].data)); n > 0 {
			nodes[i].start = uint32(used) //nolint:gosec // maxPacked bounds all numbers
			chains = append(chains, n)
			used += n
		}
	}
	tables := (used + size/4 - 2) / (size/4 - 1) // sectors of the FAT, which also has entries for its own sectors
	out := make([]byte, size, (1+used+tables)*size)
	put := binary.LittleEndian.PutUint32
	copy(out, magic)
	for i, v := range []uint16{0x3E, 4, 0xFFFE, 12, miniShift} {
		binary.LittleEndian.PutUint16(out[24+2*i:], v)
	}
	put(out[44:], uint32(tables)) //nolint:gosec // the same
	put(out[56:], cutoff)
	put(out[60:], endOfChain)
	put(out[68:], endOfChain)
	for i := range (headerSize - 76) / 4 {
		n := uint32(none)
		if i < tables {
			n = uint32(used + i) //nolint:gosec // the same
		}
		put(out[76+4*i:], n)
	}
	pad := func() { out = append(out, make([]byte, (size-len(out)%size)%size)...) }
	for _, n := range nodes {
		out = append(out, n.entry()...)
	}
	pad()
	for _, n := range nodes {
		out = append(out, n.data...)
		pad()
	}
	word := func(n int) { out = binary.LittleEndian.AppendUint32(out, uint32(n)) } //nolint:gosec // the same
	at := 0
	for _, n := range chains {
		for range n - 1 {
			at++
			word(at)
		}
		at++
		word(endOfChain)
	}
	for range tables {
		word(maxSector + 3)
	}
	for len(out)%size != 0 {
		word(none)
	}
	return out
}

// entry returns the directory entry of n ([MS-CFB] 2.6).
func (n node) entry() []byte {
	e := make([]byte, entrySize)
	units := utf16.Encode([]rune(n.name))
	units = units[:min(len(units), 31)]
	for i, u := range units {
		binary.LittleEndian.PutUint16(e[2*i:], u)
	}
	binary.LittleEndian.PutUint16(e[64:], uint16(2*len(units)+2)) //nolint:gosec // at most 64
	switch {
	case n.storage == nil:
		e[66] = 2
	case n.name == "Root Entry":
		e[66] = 5
	default:
		e[66] = 1
	}
	e[67] = 1
	binary.LittleEndian.PutUint32(e[68:], none)
	binary.LittleEndian.PutUint32(e[72:], n.next)
	binary.LittleEndian.PutUint32(e[76:], n.child)
	binary.LittleEndian.PutUint32(e[116:], n.start)
	if len(n.data) > 0 { // shorter streams would have to be in a mini stream
		binary.LittleEndian.PutUint64(e[120:], uint64(max(len(n.data), cutoff)))
	}
	return e
}
