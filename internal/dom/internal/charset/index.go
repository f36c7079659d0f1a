// SPDX-License-Identifier: Apache-2.0

package charset

import (
	"compress/gzip"
	"embed"
	"encoding/binary"
	"io"
	"sort"
	"sync"
	"unicode/utf8"
)

// indexes has the indexes of section 5 of the standard. Each file is compressed, and
// contains the code point of each pointer as the difference from the code point before
// it plus one, in the form of [binary.PutVarint]. Code points are U+0000 where the
// standard has none. TestIndexes compares them with golang.org/x/text and rewrites them
// with -update.
//
//go:embed index
var indexes embed.FS

// An index has the code point of each pointer.
type index []rune

// An indexFile is an index that is read when it is first needed. Its zero value needs no
// initialization, which would keep the files in programs that decode nothing.
type indexFile struct {
	name  string
	once  sync.Once
	index index
}

var (
	indexSingle  = indexFile{name: "single"} // 128 for each of singles
	indexBig5    = indexFile{name: "big5"}
	indexEUCKR   = indexFile{name: "euc-kr"}
	indexGB18030 = indexFile{name: "gb18030"}
	indexRanges  = indexFile{name: "gb18030-ranges"} // first pointers, each with its code point
	indexJIS0208 = indexFile{name: "jis0208"}
	indexJIS0212 = indexFile{name: "jis0212"}
)

// read returns the index. It must not be changed.
func (f *indexFile) read() index {
	f.once.Do(func() { f.index = readIndex(f.name) })
	return f.index
}

// readIndex reads an index. It panics if the file is damaged, because the file is part of
// the program.
func readIndex(name string) index {
	file, err := indexes.Open("index/" + name + ".gz")
	if err != nil {
		panic(err)
	}
	r, err := gzip.NewReader(file)
	if err != nil {
		panic(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	var all index
	char := int64(-1)
	for len(b) > 0 {
		difference, size := binary.Varint(b)
		char += difference + 1
		all = append(all, rune(char)) // #nosec G115 -- a code point
		b = b[size:]
	}
	return all
}

// rangeChar returns the code point of a pointer for four bytes of GB18030, or U+FFFD
// (section 5, index gb18030 ranges code point).
func rangeChar(pointer int) rune {
	switch {
	case pointer >= 189000 && pointer <= 1237575:
		return rune(pointer-189000) + 0x10000 // #nosec G115 -- see the condition
	case pointer > 39419:
		return utf8.RuneError
	}
	all := indexRanges.read()
	i := 2 * sort.Search(len(all)/2-1, func(i int) bool { return int(all[2*i+2]) > pointer })
	return all[i+1] + rune(pointer) - all[i] // #nosec G115 -- below 39420
}

// char returns the code point of a pointer, or 0.
func (x index) char(pointer int) rune {
	if pointer < 0 || pointer >= len(x) {
		return 0
	}
	return x[pointer]
}
