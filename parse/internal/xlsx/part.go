// SPDX-License-Identifier: Apache-2.0

package xlsx

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"unicode/utf16"

	"example.com/curlew/internal/zipxml"
)

// xmlParts returns the readers of XML parts.
func (d *reader) xmlParts() parts {
	return parts{workbook: d.workbook, styles: d.styles, strings: d.strings, sheet: d.worksheet, uses: d.uses, comments: d.comments}
}

// workbook reads the list of sheets.
func (d *reader) workbook(part string) error {
	err := d.each(part, func(s *scanner, name string) error {
		switch name {
		case "workbookPr":
			d.book.Formats.Date1904 = s.on("date1904")
		case "sheet":
			state := string(s.attr("state"))
			d.add(s.value("name"), s.value("id"), state == "hidden" || state == "veryHidden")
		case "extLst", "definedNames", "customWorkbookViews":
			return s.skip()
		}
		return nil
	})
	if len(d.sheets) > 0 {
		return d.tolerate(part, err)
	}
	return err
}

// maxFonts is the maximum number of fonts of a workbook. Excel writes at most 65,490 styles.
const maxFonts = 65_536

// styles reads the number formats of cell styles, and whether their fonts strike text
// through.
func (d *reader) styles(part string) error {
	cells := false
	var struck []bool // by font
	return d.each(part, func(s *scanner, name string) error {
		switch name {
		case "font":
			if len(struck) < maxFonts {
				struck = append(struck, false)
			}
		case "strike":
			if n := len(struck); n > 0 {
				struck[n-1] = s.strikes()
			}
		case "numFmt":
			d.book.Formats.Define(s.integer("numFmtId", -1), s.value("formatCode"))
		case "cellXfs":
			cells = true
		case "xf":
			if cells {
				d.book.Formats.Add(s.integer("numFmtId", 0))
				if i := s.integer("fontId", 0); i >= 0 && i < len(struck) && struck[i] {
					d.book.Formats.Strike()
				}
			}
		case "cellStyleXfs", "fills", "borders", "dxfs", "tableStyles", "extLst", "colors":
			return s.skip()
		case "cellStyles":
			cells = false
			return s.skip()
		}
		return nil
	})
}

// strings reads the shared strings.
func (d *reader) strings(part string) error {
	return d.each(part, func(s *scanner, name string) error {
		if name != "si" {
			if s.depth != 2 || name == "extLst" {
				return nil
			}
			s.unmatched = true // a text whose tag is damaged, which must not move the others
		}
		var err error
		if d.text, err = s.rich(d.text[:0]); err != nil {
			return err
		}
		d.book.Strings.Add(d.text)
		return nil
	})
}

// uses calls use with the index of each shared text that cells of a sheet refer to,
// until it returns false.
func (d *reader) uses(part string, use func(i int) bool) error {
	var value []byte
	shared := false
	return d.each(part, func(s *scanner, name string) (err error) {
		switch name {
		case "c":
			shared = typeOf(s.attr("t")) == typeShared
		case "v":
			if !shared {
				return nil
			}
			if value, err = s.content(value[:0]); err != nil {
				return err
			}
			if i, ok := atoi(bytes.TrimSpace(value)); ok && !use(i) {
				return io.EOF
			}
		}
		return nil
	})
}

// strikes reports whether the last start tag, called strike, says that text is struck
// through.
func (s *scanner) strikes() bool {
	return s.attr("val") == nil || s.on("val")
}

// rich appends the text of the runs in the element of the last start tag. It counts
// texts with phonetic guides and those with words that are struck through, which cells
// do not show.
func (s *scanner) rich(dst []byte) ([]byte, error) {
	if s.empty {
		return dst, nil
	}
	guided, struck := false, false
	depth := s.depth - 1
	for s.depth > depth {
		t, err := s.next()
		if err != nil {
			return dst, err
		}
		if t != start {
			continue
		}
		switch string(s.name) {
		case "t":
			if dst, err = s.content(dst); err != nil {
				return dst, err
			}
		case "rPh":
			guided = guided || !s.empty
			if err := s.skip(); err != nil {
				return dst, err
			}
		case "strike":
			struck = struck || s.strikes()
		case "phoneticPr":
			if err := s.skip(); err != nil {
				return dst, err
			}
		}
	}
	if guided {
		s.guides++
	}
	if struck {
		s.struck++
	}
	return dst, nil
}

// wide converts a part in UTF-16 to UTF-8. This is rare, so the part is read
// at once.
func (s *scanner) wide() error {
	data, err := io.ReadAll(io.LimitReader(io.MultiReader(strings.NewReader(string(s.buf)), s.r), 64<<20))
	if err != nil && !errors.Is(err, zipxml.ErrMalformed) {
		return err
	}
	var order binary.ByteOrder = binary.LittleEndian
	if data[0] == 0xFE || data[0] == 0 {
		order = binary.BigEndian
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 0; i+1 < len(data); i += 2 {
		units = append(units, order.Uint16(data[i:]))
	}
	s.r, s.buf, s.at, s.err = strings.NewReader(strings.TrimPrefix(string(utf16.Decode(units)), "\uFEFF")), nil, 0, nil
	return nil
}
