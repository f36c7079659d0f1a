// SPDX-License-Identifier: Apache-2.0

package msg

import (
	"encoding/binary"
	"time"

	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/mail"
)

const maxEntries = 10_000 // of the list of named properties

// names returns the property IDs that the file uses for numeric named
// properties ([MS-OXMSG] 2.2.3).
func names(root *cfb.Storage) map[uint32]uint16 {
	s := root.Storage("__nameid_version1.0")
	if s == nil {
		return nil
	}
	all := map[uint32]uint16{}
	for b := s.Stream("__substg1.0_00030102"); len(b) >= 8 && len(all) < maxEntries; b = b[8:] {
		name, kind, index := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint16(b[4:]), binary.LittleEndian.Uint16(b[6:])
		if _, again := all[name]; kind&1 == 0 && index < 0x8000 && !again {
			all[name] = 0x8000 + index
		}
	}
	return all
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
