// SPDX-License-Identifier: Apache-2.0

package msg

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/mail"
)

const maxEntries = 10_000 // of the list of named properties

// names returns the property IDs that the file uses for numeric named properties, and
// for the named property with the categories ([MS-OXMSG] 2.2.3).
func names(root *cfb.Storage) (all map[uint32]uint16, categories uint16) {
	s := root.Storage("__nameid_version1.0")
	if s == nil {
		return nil, 0
	}
	texts := s.Stream("__substg1.0_00040102")
	all = map[uint32]uint16{}
	for b := s.Stream("__substg1.0_00030102"); len(b) >= 8 && len(all) < maxEntries; b = b[8:] {
		name, kind, index := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint16(b[4:]), binary.LittleEndian.Uint16(b[6:])
		_, again := all[name]
		switch {
		case index >= 0x8000:
		case kind&1 == 0 && !again:
			all[name] = 0x8000 + index
		case kind&1 == 1 && int64(name)+4 <= int64(len(texts)): // the place of the size and the characters of a text
			t := texts[name:]
			size := min(int(binary.LittleEndian.Uint32(t)), len(t)-4)
			if strings.EqualFold(cfb.UTF16(t[4:4+size]), "Keywords") {
				categories = 0x8000 + index
			}
		}
	}
	return all, categories
}

// many returns the values of a property that has several, and how many more there are.
func (o object) many(id uint16, kind string) (values [][]byte, more int) {
	for i := 0; ; i++ {
		switch name := fmt.Sprintf("%s-%08X", streamName(id, kind), i); {
		case !o.Has(name):
			return values, more
		case i >= maxNames:
			more++
		default:
			values = append(values, o.Stream(name))
		}
	}
}

// categories returns the categories of a message or another item.
func (r *reader) categories(o object) string {
	var all []string
	texts, more := o.many(r.keywords, "101F")
	for _, b := range texts {
		all = append(all, cfb.UTF16(b))
	}
	codes, others := o.many(r.keywords, "101E")
	for _, b := range codes {
		all = append(all, strings.TrimRight(cfb.Text(b, o.page), "\x00"))
	}
	if more += others; more > 0 {
		all = append(all, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, ", ")
}

// Named properties of a distribution list.
const (
	pOneOffs = 0x8054 // its members as names and addresses
	pMembers = 0x8055 // its members as references, some of which are names and addresses too
	pStream  = 0x8064 // its members if they are many, in a format of its own
)

// members returns the members of a distribution list, and how many could not be read
// ([MS-OXOCNTC] 2.2.2.2).
func (r *reader) members(o object) (all string, lost int) {
	oneOffs, lost := o.many(r.named[pOneOffs], "1102")
	references, more := o.many(r.named[pMembers], "1102")
	lost = max(lost, more)
	var people []string
	for i := range max(len(oneOffs), len(references)) {
		who := ""
		if i < len(oneOffs) {
			who = oneOff(oneOffs[i])
		}
		if who == "" && i < len(references) {
			who = oneOff(references[i])
		}
		if who != "" {
			people = append(people, who)
		} else {
			lost++
		}
	}
	if b := o.bytes(r.named[pStream]); len(people)+lost == 0 && len(b) >= 16 {
		lost = min(int(binary.LittleEndian.Uint32(b[12:])), len(b))
	}
	return strings.Join(people, ", "), lost
}

// oneOff returns the name and the address in an entry ID that holds them instead of
// referring to an address book ([MS-OXCDATA] 2.2.5.1). It returns "" for other entry IDs.
func oneOff(b []byte) string {
	const provider, head = "\x81\x2B\x1F\xA4\xBE\xA3\x10\x19\x9D\x6E\x00\xDD\x01\x0F\x54\x02", 24
	if len(b) < head || string(b[4:20]) != provider {
		return ""
	}
	decode, end := func(b []byte) string { return cfb.Text(b, 1252) }, []byte{0}
	if b[23]&0x80 != 0 {
		decode, end = cfb.UTF16, []byte{0, 0}
	}
	var texts [3]string // name, kind of the address, address
	b = b[head:]
	for i := range texts {
		at := 0
		for at+len(end) <= len(b) && !bytes.HasPrefix(b[at:], end) {
			at += len(end)
		}
		texts[i], b = decode(b[:min(at, len(b))]), b[min(at+len(end), len(b)):]
	}
	return mail.Person(texts[0], texts[2])
}

// item returns the fields of an appointment, a task or a contact.
func (r *reader) item(o object) []mail.Field {
	id := func(id uint16) (own uint16, known bool) {
		if id < 0x8000 {
			return id, true
		}
		own, known = r.named[uint32(id)]
		return own, known
	}
	text := func(n uint16) (s string) {
		if own, known := id(n); known {
			s = o.text(own)
		}
		return s
	}
	moment := func(n uint16) (t time.Time) {
		if own, known := id(n); known {
			t = o.time(own)
		}
		return t
	}
	return mail.Item(o.text(pClass), text, moment)
}
