// SPDX-License-Identifier: Apache-2.0

package mapi

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"time"

	"example.com/curlew/parse/internal/cfb"
)

// ErrMalformed means that the data is not TNEF.
var ErrMalformed = errors.New("malformed")

const (
	signature = "\x78\x9F\x3E\x22"

	maxDepth = 10  // nested messages
	maxFiles = 100 // of one message
	maxProps = 10_000
)

// Attribute IDs ([MS-OXTNEF] 2.1.3.2), without their types.
const (
	aSubject    = 0x8004
	aSent       = 0x8005
	aClass      = 0x8008
	aBody       = 0x800C
	aFileData   = 0x800F
	aFileTitle  = 0x8010
	aFileBegin  = 0x9002
	aProperties = 0x9003
	aFileProps  = 0x9005
	aCodePage   = 0x9007
)

// Property IDs ([MS-OXPROPS]).
const (
	pSubject    = 0x0037
	pTopic      = 0x0070 // the subject without "Re:", which a winmail.dat has that leaves the subject to its mail
	pSubmitted  = 0x0039
	pSenderName = 0x0C1A
	pSenderMail = 0x0C1F
	pSenderSMTP = 0x5D01
	pDisplayTo  = 0x0E04
	pDisplayCc  = 0x0E03
	pDisplayBcc = 0x0E02
	pClass      = 0x001A
	pBody       = 0x1000
	pRTF        = 0x1009
	pHTML       = 0x1013
	pName       = 0x3001
	pData       = 0x3701
	pShortName  = 0x3704
	pLongName   = 0x3707
	pMIMEType   = 0x370E
	pContentID  = 0x3712
	pLocation   = 0x3713
	pPage       = 0x3FDE
)

// Property types ([MS-OXCDATA] 2.11.1).
const (
	tInt16    = 0x0002
	tInt32    = 0x0003
	tFloat32  = 0x0004
	tFloat64  = 0x0005
	tCurrency = 0x0006
	tAppTime  = 0x0007
	tError    = 0x000A
	tBool     = 0x000B
	tObject   = 0x000D
	tInt64    = 0x0014
	tText     = 0x001E
	tUnicode  = 0x001F
	tTime     = 0x0040
	tGUID     = 0x0048
	tBinary   = 0x0102
	tMany     = 0x1000 // flag for multiple values
)

// Message is the message in a TNEF stream. Missing fields are empty.
type Message struct {
	Subject, From, To string
	Mail              string // address of the sender
	Sent              time.Time
	Cc, Bcc           string
	Class             string // of an item that is not a message, such as IPM.Appointment
	Texts             Texts
	Files             []File
	Damaged           int // attributes that end too early or have another sum than they say, without those of nested messages
	Omitted           int // files and nested messages that were left out, without those of nested messages

	all properties
}

// Text returns a property, or "" if there is none. From 0x8000 on, id is the number of a named property.
func (m *Message) Text(id uint16) string { return m.all.text(id) }

// Time is like Text for times.
func (m *Message) Time(id uint16) time.Time {
	if v := m.all[id]; v.kind == tTime && len(v.data) >= 8 {
		return cfb.FileTime(binary.LittleEndian.Uint64(v.data))
	}
	return time.Time{}
}

// File is an attached file.
type File struct {
	Name, ContentType string
	ID, Location      string // names by which the text refers to it
	Data              []byte // part of the stream
	Message           *Message
}

// IsTNEF reports whether b begins with the TNEF signature.
func IsTNEF(b []byte) bool { return strings.HasPrefix(string(b[:min(len(b), 4)]), signature) }

// TNEF reads a stream. It stops at truncated or invalid data. The error
// wraps [ErrMalformed] if b is not TNEF.
func TNEF(b []byte) (*Message, error) {
	if !IsTNEF(b) || len(b) < 6 {
		return nil, ErrMalformed
	}
	return readTNEF(b, 0), nil
}

func readTNEF(b []byte, depth int) *Message {
	m := &Message{}
	page := 1252
	over := false          // has more files than are read
	file := func() *File { // the current file
		if len(m.Files) == 0 {
			return &File{}
		}
		return &m.Files[len(m.Files)-1]
	}
	for b = b[6:]; len(b) >= 11; {
		id := binary.LittleEndian.Uint16(b[1:])
		size := int64(binary.LittleEndian.Uint32(b[5:]))
		if b[0] != levelMessage && b[0] != levelFile || 9+size+2 > int64(len(b)) {
			m.Damaged++
		}
		data := b[9:min(9+size, int64(len(b)))]
		b = b[min(9+size, int64(len(b))):]
		if len(b) >= 2 && !isSum(binary.LittleEndian.Uint16(b), data) {
			m.Damaged++
		}
		b = b[min(2, len(b)):]
		if over && id != aFileBegin {
			continue
		}
		text := func() string { return strings.TrimRight(cfb.Text(data, page), "\x00") }
		switch id {
		case aCodePage:
			if len(data) >= 4 {
				page = int(binary.LittleEndian.Uint32(data) & 0xFFFF)
			}
		case aSubject:
			m.Subject = text()
		case aClass:
			m.Class = first(m.Class, text())
		case aSent:
			m.Sent = date(data)
		case aBody:
			m.Texts.Plain = text()
		case aProperties:
			m.properties(data, page)
		case aFileBegin:
			if len(m.Files) >= maxFiles {
				m.Omitted++
				over = true
				continue
			}
			m.Files = append(m.Files, File{})
		case aFileTitle:
			file().Name = text()
		case aFileData:
			file().Data = data
		case aFileProps:
			m.Omitted += file().properties(data, page, depth)
		}
	}
	if len(b) > 0 {
		m.Damaged++
	}
	return m
}

// Levels of attributes.
const (
	levelMessage = 1
	levelFile    = 2
)

// isSum reports whether sum is the sum of data ([MS-OXTNEF] 2.1.3.1). Some programs write
// zero.
func isSum(sum uint16, data []byte) bool {
	if sum == 0 {
		return true
	}
	for _, c := range data {
		sum -= uint16(c)
	}
	return sum == 0
}

// date reads a date attribute: year, month, day, hour, minute and second,
// 16 bits each.
func date(b []byte) time.Time {
	if len(b) < 12 {
		return time.Time{}
	}
	v := func(i int) int { return int(binary.LittleEndian.Uint16(b[2*i:])) }
	if v(1) < 1 || v(1) > 12 || v(2) < 1 || v(2) > 31 {
		return time.Time{}
	}
	return time.Date(v(0), time.Month(v(1)), v(2), v(3), v(4), v(5), 0, time.UTC)
}

// properties sets the properties of a message.
func (m *Message) properties(b []byte, page int) {
	p := readProperties(b, page)
	m.Subject = first(p.text(pSubject), m.Subject, p.text(pTopic))
	m.From, m.Mail = p.text(pSenderName), first(p.text(pSenderSMTP), p.text(pSenderMail))
	m.To, m.Cc, m.Bcc = p.text(pDisplayTo), p.text(pDisplayCc), p.text(pDisplayBcc)
	m.all, m.Class = p, first(p.text(pClass), m.Class)
	if t := m.Time(pSubmitted); !t.IsZero() {
		m.Sent = t
	}
	m.Texts.Plain = first(p.text(pBody), m.Texts.Plain)
	m.Texts.RTF = p[pRTF].data
	switch v := p[pHTML]; v.kind {
	case tBinary:
		m.Texts.HTML = v.data
		if c := p[pPage]; len(c.data) >= 4 {
			m.Texts.Charset = Charset(int(binary.LittleEndian.Uint32(c.data) & 0xFFFF))
		}
	case tText, tUnicode:
		m.Texts.HTML, m.Texts.Charset = []byte(p.text(pHTML)), "utf-8"
	}
}

// properties sets the properties of a file. It returns 1 if its message was
// left out because it is nested too deeply, and 0 otherwise.
func (f *File) properties(b []byte, page, depth int) (omitted int) {
	p := readProperties(b, page)
	f.Name = first(p.text(pLongName), p.text(pShortName), f.Name, p.text(pName))
	f.ContentType, f.Location = p.text(pMIMEType), p.text(pLocation)
	f.ID = strings.Trim(p.text(pContentID), "<>")
	v := p[pData]
	switch {
	case v.kind == tBinary && len(f.Data) == 0:
		f.Data = v.data
	case v.kind == tObject && len(v.data) > 16:
		inner := v.data[16:] // after the interface identifier
		switch {
		case !IsTNEF(inner) || len(inner) < 6:
			f.Data = inner
		case depth+1 >= maxDepth:
			return 1
		default:
			f.Message = readTNEF(inner, depth+1)
		}
	}
	return 0
}

// value is the first value of a property.
type value struct {
	kind uint16
	data []byte
	page int
}

type properties map[uint16]value

func (p properties) text(id uint16) string {
	switch v := p[id]; v.kind {
	case tUnicode:
		return cfb.UTF16(v.data)
	case tText:
		return strings.TrimRight(cfb.Text(v.data, v.page), "\x00")
	}
	return ""
}

// cursor reads integers. After the end they are zero.
type cursor struct{ b []byte }

func (c *cursor) take(n int64) []byte {
	n = max(0, min(n, int64(len(c.b))))
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

func (c *cursor) u16() uint16 {
	if b := c.take(2); len(b) == 2 {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (c *cursor) u32() int64 {
	if b := c.take(4); len(b) == 4 {
		return int64(binary.LittleEndian.Uint32(b))
	}
	return 0
}

// counted reads a byte string with its length before it, and its padding to
// four bytes.
func (c *cursor) counted() []byte {
	n := c.u32()
	b := c.take(n)
	c.take(-n & 3)
	return b
}

// readProperties reads a property list ([MS-OXTNEF] 2.1.3.4). It skips properties whose name is a text.
func readProperties(b []byte, page int) properties {
	all := properties{}
	c := cursor{b}
	for range min(c.u32(), maxProps) {
		if len(c.b) < 4 {
			break
		}
		kind, id := c.u16(), c.u16()
		named := id >= 0x8000
		if named {
			c.take(16)
			if c.u32() == 0 {
				id = uint16(min(c.u32(), math.MaxUint16)) //nolint:gosec // it fits
				named = id < 0x8000                       // another property has the number as its ID
			} else {
				c.counted()
			}
		}
		data, ok := c.value(kind)
		if !ok {
			break // the size of the value is unknown
		}
		if _, again := all[id]; !again && !named {
			all[id] = value{kind &^ tMany, data, page}
		}
	}
	return all
}

// value reads the values of a property and returns the first.
func (c *cursor) value(kind uint16) (data []byte, ok bool) {
	count := int64(1)
	long := false
	size := int64(0)
	switch kind &^ tMany {
	case tInt16, tBool, tInt32, tFloat32, tError:
		size = 4
	case tFloat64, tCurrency, tAppTime, tInt64, tTime:
		size = 8
	case tGUID:
		size = 16
	case tText, tUnicode, tBinary, tObject:
		long = true
	default:
		return nil, false
	}
	if long || kind&tMany != 0 {
		count = c.u32()
	}
	for i := int64(0); i < count && len(c.b) > 0; i++ {
		var one []byte
		if long {
			one = c.counted()
		} else {
			one = c.take(size)
		}
		if i == 0 {
			data = one
		}
	}
	return data, true
}

// first returns the first text that is not blank.
func first(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}
