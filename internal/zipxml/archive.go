// SPDX-License-Identifier: Apache-2.0

package zipxml

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sort"
	"strings"
	"unicode/utf8"

	"example.com/curlew/internal/inflate"
)

// Reasons why a container or a part cannot be read. A missing part is
// [fs.ErrNotExist].
var (
	ErrMalformed = errors.New("malformed")
	ErrEncrypted = errors.New("encrypted")
	ErrLimit     = errors.New("over a limit")
	// ErrTags means that start tags and end tags of a part do not match, so that
	// its structure is a guess. All of it was read.
	ErrTags = fmt.Errorf("%w: tags do not match", ErrMalformed)
)

// LimitError says which limit a container or a part exceeds. It matches
// [ErrLimit].
type LimitError struct {
	Name  string // what is counted: entries, bytes, attributes
	Value int64  // the limit
}

// Error returns "over a limit: more than VALUE NAME".
func (e *LimitError) Error() string {
	return fmt.Sprintf("%v: more than %d %s", ErrLimit, e.Value, e.Name)
}

// Is reports whether target is [ErrLimit].
func (e *LimitError) Is(target error) bool { return target == ErrLimit }

// Limit returns Name and Value.
func (e *LimitError) Limit() (name string, value int64) { return e.Name, e.Value }

// Limits are the limits for one container. Zero fields mean the defaults.
type Limits struct {
	Entries int   // zero means 10,000
	Part    int64 // decompressed bytes of one entry; zero means 64 MiB; the rest is omitted
	Total   int64 // decompressed bytes of all reads; zero means 512 MiB
	Repeat  int64 // decompressed bytes of entries that are read again; zero means 16 MiB
	// Ratio is the maximum ratio of decompressed to compressed bytes. It
	// applies beyond 10 MiB of an entry and 64 MiB in total. Zero means 200.
	Ratio int64

	// Budget is shared with nested containers. Nil means a budget of Total for
	// this container.
	Budget *Budget
}

// Budget is what nested containers may decompress together. It is not safe for
// concurrent use.
type Budget struct {
	left, inflated, packed int64

	// Grow is called during decompression with the number of bytes since the
	// last call. It may block. It may be nil.
	Grow func(bytes int64)
}

// growEvery is the number of bytes after which Grow is called.
const growEvery = 256 << 10

// growing calls a budget's Grow for the bytes read.
type growing struct {
	io.Reader
	grow func(int64)
	read int64 // since the last call
}

// Read implements [io.Reader].
func (g *growing) Read(p []byte) (int, error) {
	n, err := g.Reader.Read(p)
	if g.read += int64(n); g.read >= growEvery || err != nil {
		g.grow(g.read)
		g.read = 0
	}
	return n, err
}

// NewBudget returns a budget of total bytes; zero means 512 MiB.
func NewBudget(total int64) *Budget { return &Budget{left: cmp.Or(total, 512<<20)} }

// Left returns how many bytes may still be decompressed.
func (b *Budget) Left() int64 { return b.left }

// Spend subtracts n bytes that another reader has decompressed.
func (b *Budget) Spend(n int64) { b.left = max(b.left-n, 0) }

const (
	freeRatio = 10 << 20 // bytes of an entry for which the ratio is not checked
	freeTotal = 64 << 20 // the same for all entries together
)

func (l Limits) withDefaults() Limits {
	l.Entries = cmp.Or(l.Entries, 10_000)
	l.Part = cmp.Or(l.Part, 64<<20)
	l.Repeat = cmp.Or(l.Repeat, 16<<20)
	l.Ratio = cmp.Or(l.Ratio, 200)
	if l.Budget == nil {
		l.Budget = NewBudget(l.Total)
	}
	return l
}

// Archive is a container whose directory has been read. It is not safe for
// concurrent use.
type Archive struct {
	limits  Limits
	size    int64 // bytes
	entries map[string]*zip.File
	folded  map[string]string // lower case -> name
	names   []string
	read    map[*zip.File]bool // entries that have been opened
	repeat  int64              // bytes of these that may still be decompressed
	piece   []byte
}

// Open reads the directory of the container of size bytes in r. Of several
// entries with the same name, the first counts. If there is no valid directory,
// the error wraps [ErrMalformed]. If there are too many entries, or overlapping
// entries as in decompression bombs, it wraps [ErrLimit].
func Open(r io.ReaderAt, size int64, l Limits) (*Archive, error) {
	l = l.withDefaults()
	z, err := directory(r, size)
	if err != nil {
		return nil, fmt.Errorf("%w container: %w", ErrMalformed, err)
	}
	if len(z.File) > l.Entries {
		return nil, &LimitError{"entries", int64(l.Entries)}
	}
	a := &Archive{limits: l, size: size, entries: map[string]*zip.File{}, folded: map[string]string{}, read: map[*zip.File]bool{}, repeat: l.Repeat}
	for _, f := range z.File {
		name := Clean(f.Name)
		if _, ok := a.entries[name]; ok || strings.HasSuffix(f.Name, "/") {
			continue
		}
		a.entries[name] = f
		a.names = append(a.names, name)
		if lower := strings.ToLower(name); a.folded[lower] == "" {
			a.folded[lower] = name
		}
	}
	return a, a.overlaps()
}

// directory reads the directory of a container, unless [Whole] has read it.
func directory(r io.ReaderAt, size int64) (*zip.Reader, error) {
	if w, ok := r.(*whole); ok && w.size == size {
		return w.directory, nil
	}
	z, err := zip.NewReader(r, size)
	if z != nil && errors.Is(err, zip.ErrInsecurePath) { // nothing is written, so insecure paths do no harm
		err = nil
	}
	if z != nil {
		z.RegisterDecompressor(zip.Deflate, func(r io.Reader) io.ReadCloser { return inflate.NewReader(r) })
	}
	return z, err
}

// overlaps finds entries that share compressed bytes.
func (a *Archive) overlaps() error {
	type span struct{ from, to int64 }
	spans := make([]span, 0, len(a.entries))
	for _, f := range a.entries {
		from, err := f.DataOffset()
		if err != nil || f.CompressedSize64 == 0 {
			continue // reading it fails or returns nothing
		}
		if f.CompressedSize64 > 1<<62 {
			return fmt.Errorf("%w: size of %s", ErrMalformed, f.Name)
		}
		spans = append(spans, span{from, from + int64(f.CompressedSize64)})
	}
	sort.SliceStable(spans, func(i, j int) bool { return spans[i].from < spans[j].from })
	for i := range spans {
		if i > 0 && spans[i].from < spans[i-1].to {
			return fmt.Errorf("%w: entries overlap", ErrLimit)
		}
	}
	return nil
}

// Doubts returns the names of entries that are not read although the container has them:
// those with the name of another entry, and those that its directory does not list. r is
// what [Whole] has returned. Of a container with very many entries it returns none.
func Doubts(r io.ReaderAt) (again, unlisted []string) {
	w, ok := r.(*whole)
	if !ok || len(w.directory.File) > maxRecovered {
		return nil, nil
	}
	listed := map[string]bool{}
	type span struct {
		name     string
		from, to int64 // of the data
	}
	var spans []span
	for _, f := range w.directory.File {
		name := Clean(f.Name)
		if listed[name] && !strings.HasSuffix(f.Name, "/") {
			again = append(again, name)
		}
		listed[name] = true
		if from, err := f.DataOffset(); err == nil && f.CompressedSize64 < 1<<62 {
			spans = append(spans, span{f.Name, from, from + int64(f.CompressedSize64)})
		}
	}
	sort.SliceStable(spans, func(i, j int) bool { return spans[i].from < spans[j].from })
	end := int64(0)
	for _, s := range append(spans, span{"", w.size, w.size}) {
		// Between the data of two entries there are a header and, at most, the sizes of the
		// first one. Anything else may be an entry.
		if gap := s.from - end - localSize - int64(len(s.name)); gap > 24 || s.name == "" {
			for _, name := range w.headers(end, s.from) {
				if !listed[name] {
					unlisted = append(unlisted, name)
				}
			}
		}
		end = max(end, s.to)
	}
	return again, unlisted
}

// maxGap is how many bytes between two entries are searched for others.
const maxGap = 1 << 20

// headers returns the names in the headers of entries between two places, up to the
// directory.
func (w *whole) headers(from, to int64) (names []string) {
	b := make([]byte, max(0, min(to-from, maxGap)))
	n, _ := w.ReadAt(b, from)
	for b = b[:n]; ; {
		next := bytes.Index(b, []byte("PK"))
		if next < 0 || len(b)-next < localSize || string(b[next:next+4]) == directorySign {
			return names
		}
		b = b[next:]
		if length := int(binary.LittleEndian.Uint16(b[26:])); string(b[:4]) == localSign && length > 0 && localSize+length <= len(b) {
			if name := string(b[localSize : localSize+length]); utf8.ValidString(name) && !strings.HasSuffix(name, "/") {
				names = append(names, Clean(name))
			}
		}
		b = b[2:]
	}
}

// Clean returns the name of an entry as a part name: without a leading slash,
// and with dots resolved.
func Clean(name string) string {
	if isClean(name) {
		return name
	}
	return strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/")
}

// isClean reports whether a name needs no cleaning, as most do.
func isClean(name string) bool {
	return name != "" && name[0] != '/' && name[0] != '.' && name[len(name)-1] != '/' &&
		strings.IndexByte(name, '\\') < 0 && !strings.Contains(name, "//") && !strings.Contains(name, "/.")
}

// Names returns the names of all entries in the order of the directory. The
// slice belongs to the archive.
func (a *Archive) Names() []string { return a.names }

// Has reports whether there is an entry of this name, ignoring case.
func (a *Archive) Has(name string) bool { return a.find(name) != nil }

// Name returns the name that the directory gives to the entry of this name, ignoring
// case, or "" if there is none.
func (a *Archive) Name(name string) string {
	if a.entries[name] == nil {
		if name = Clean(name); a.entries[name] == nil {
			name = a.folded[strings.ToLower(name)]
		}
	}
	return name
}

// Empty reports whether there is an entry of this name that has no bytes.
func (a *Archive) Empty(name string) bool {
	f := a.find(name)
	return f != nil && f.UncompressedSize64 == 0
}

// Its many callers would be larger if it were inlined.
//
//go:noinline
func (a *Archive) find(name string) *zip.File { return a.entries[a.Name(name)] }

// Read returns the bytes of the entry name. The error wraps [fs.ErrNotExist],
// [ErrEncrypted], [ErrLimit], or [ErrMalformed]. With the last one it also
// returns the bytes that could be read, which may be all.
func (a *Archive) Read(name string) ([]byte, error) {
	return a.ReadIn(new(bytes.Buffer), name)
}

// ReadIn is like [Archive.Read], but the bytes that it returns are in b, whose content
// is lost.
func (a *Archive) ReadIn(b *bytes.Buffer, name string) ([]byte, error) {
	b.Reset()
	err := a.inflate(name, func(size int) { b.Grow(size + bytes.MinRead) }, b.ReadFrom)
	if errors.Is(err, ErrLimit) {
		return nil, err
	}
	return b.Bytes(), err
}

// ReadUnless is like [Archive.ReadIn], but it reads no more than the first bytes of the
// entry if they suffice. enough gets them and the size that the directory gives.
func (a *Archive) ReadUnless(b *bytes.Buffer, name string, enough func(head []byte, size int64) bool) ([]byte, error) {
	b.Reset()
	size := int64(0)
	if f := a.find(name); f != nil && f.UncompressedSize64 < 1<<62 {
		size = int64(f.UncompressedSize64)
	}
	plausible := 0
	err := a.inflate(name, func(size int) { plausible = size }, func(r io.Reader) (int64, error) {
		n, err := io.CopyN(b, r, firstBytes)
		if err != nil && !errors.Is(err, io.EOF) || err == nil && enough(b.Bytes(), size) {
			return n, err
		}
		b.Grow(plausible)
		more, err := b.ReadFrom(r)
		return n + more, err
	})
	if errors.Is(err, ErrLimit) {
		return nil, err
	}
	return b.Bytes(), err
}

// firstBytes is how many bytes [Archive.ReadUnless] reads first.
const firstBytes = 4 << 10

// Text returns the result of [Archive.Read] in the form for [NewScanner].
func (a *Archive) Text(name string) (string, error) {
	var b strings.Builder
	err := a.inflate(name, b.Grow, func(r io.Reader) (n int64, err error) {
		if a.piece == nil {
			a.piece = make([]byte, 16<<10)
		}
		for {
			k, err := r.Read(a.piece)
			b.Write(a.piece[:k])
			n += int64(k)
			if errors.Is(err, io.EOF) {
				return n, nil
			}
			if err != nil {
				return n, err
			}
		}
	})
	if errors.Is(err, ErrLimit) {
		return "", err
	}
	return b.String(), err
}

// inflate calls read with the decompressed entry. Before that, it calls grow
// with the size if that is plausible.
func (a *Archive) inflate(name string, grow func(int), read func(io.Reader) (int64, error)) error {
	f := a.find(name)
	if f == nil {
		return fmt.Errorf("part %s: %w", name, fs.ErrNotExist)
	}
	if f.Flags&1 != 0 {
		return fmt.Errorf("part %s: %w", name, ErrEncrypted)
	}
	most := min(a.limits.Part, a.most(f))
	if most == 0 {
		return fmt.Errorf("part %s: %w", name, &LimitError{"bytes in all", a.limits.Budget.inflated})
	}
	r, err := f.Open()
	if err != nil {
		return fmt.Errorf("part %s: %w: %w", name, ErrMalformed, err)
	}
	defer r.Close()
	again := a.open(f)
	if declared := f.UncompressedSize64; declared < 16<<20 && a.packed(f)*32 > int64(declared) {
		grow(int(declared))
	}
	var from io.Reader = r
	if report := a.limits.Budget.Grow; report != nil {
		from = &growing{Reader: r, grow: report}
	}
	n, err := read(io.LimitReader(from, most+1))
	a.spend(n, again) // also after an error, because another read costs the same again
	switch {
	case n > most && most == a.limits.Part:
		return fmt.Errorf("part %s: %w: more than %d bytes", name, ErrMalformed, most) // the bytes that were read are useful
	case n > most:
		return fmt.Errorf("part %s: %w", name, &LimitError{"bytes", most})
	}
	if err != nil {
		err = fmt.Errorf("part %s: %w: %w", name, ErrMalformed, err)
	}
	return err
}

// most returns how many bytes of f may be decompressed.
func (a *Archive) most(f *zip.File) int64 {
	b := a.limits.Budget
	most := b.left
	if a.read[f] {
		most = min(most, a.repeat)
	}
	packed := a.packed(f)
	return max(0, min(most, max(freeRatio, packed*a.limits.Ratio), max(freeTotal, (b.packed+packed)*a.limits.Ratio)-b.inflated))
}

// packed returns the maximum number of compressed bytes of f in the container,
// whatever it declares.
func (a *Archive) packed(f *zip.File) int64 {
	return int64(min(f.CompressedSize64, uint64(a.size))) //nolint:gosec // limited by the size of the container
}

// open records that f is read, and reports whether it was read before.
func (a *Archive) open(f *zip.File) (again bool) {
	if again = a.read[f]; !again {
		a.read[f] = true
		a.limits.Budget.packed += a.packed(f)
	}
	return again
}

// Opened reports whether an entry was read, or its reading was begun.
func (a *Archive) Opened(name string) bool { return a.read[a.find(name)] }

// Renew makes the next reading of an entry count as its first one, to which Limits.Repeat
// does not apply. Callers that know how often they read a large entry may use it.
func (a *Archive) Renew(name string) { delete(a.read, a.find(name)) }

// spend subtracts n decompressed bytes. again says that the entry was read
// before.
func (a *Archive) spend(n int64, again bool) {
	b := a.limits.Budget
	b.left = max(b.left-n, 0)
	b.inflated += n
	if again {
		a.repeat = max(a.repeat-n, 0)
	}
}
