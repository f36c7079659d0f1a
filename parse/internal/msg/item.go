// SPDX-License-Identifier: Apache-2.0

package msg

import (
	"encoding/binary"
	"strings"

	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/mail"
)

// Named properties of calendar and task items ([MS-OXPROPS]).
const (
	nLocation  = 0x8208
	nStart     = 0x820D
	nEnd       = 0x820E
	nTaskStart = 0x8104
	nDue       = 0x8105
	nMail1     = 0x8083
	nMail2     = 0x8093
)

// Properties of contacts.
const (
	pCompany   = 0x3A16
	pPosition  = 0x3A17
	pWork      = 0x3A08
	pHome      = 0x3A09
	pMobile    = 0x3A1C
	pTelefax   = 0x3A24
	pAddress   = 0x3A15
	pWebsite   = 0x3A51
	maxEntries = 10_000
)

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
func (r *reader) item(o object, class string) (fields []mail.Field) {
	text := func(name string, ids ...uint16) {
		var values []string
		for _, id := range ids {
			if v := strings.TrimSpace(o.text(id)); id != 0 && v != "" {
				values = append(values, v)
			}
		}
		fields = append(fields, mail.Field{Name: name, Value: strings.Join(values, ", ")})
	}
	moment := func(name string, number uint32) {
		if t := o.time(r.named[number]); r.named[number] != 0 && !t.IsZero() {
			fields = append(fields, mail.Field{Name: name, Value: t.Format("2006-01-02 15:04 UTC")})
		}
	}
	switch class = strings.ToLower(class); {
	case strings.HasPrefix(class, "ipm.appointment"), strings.HasPrefix(class, "ipm.schedule"):
		moment("Start", nStart)
		moment("End", nEnd)
		text("Location", r.named[nLocation])
	case strings.HasPrefix(class, "ipm.task"):
		moment("Start", nTaskStart)
		moment("Due", nDue)
	case strings.HasPrefix(class, "ipm.contact"):
		text("Name", pName)
		text("Company", pCompany)
		text("Position", pPosition)
		text("E-mail", r.named[nMail1], r.named[nMail2])
		text("Phone", pWork, pHome, pMobile)
		text("Fax", pTelefax)
		text("Address", pAddress)
		text("Website", pWebsite)
	}
	return fields
}
