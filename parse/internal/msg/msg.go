// SPDX-License-Identifier: Apache-2.0

package msg

import (
	"context"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/cfb"
	"example.com/curlew/parse/internal/mail"
	"example.com/curlew/parse/internal/mapi"
)

const (
	maxDepth = 10  // nested messages
	maxFiles = 100 // attached to one message
	maxNames = 1_000
)

// Property IDs ([MS-OXPROPS]).
const (
	pSubject      = 0x0037
	pSubmitted    = 0x0039
	pSenderName   = 0x0C1A
	pSenderMail   = 0x0C1F
	pSenderSMTP   = 0x5D01
	pSentForName  = 0x0042
	pSentForMail  = 0x0065
	pSentForSMTP  = 0x5D02
	pDelivered    = 0x0E06
	pTo           = 0x0E04
	pCc           = 0x0E03
	pBcc          = 0x0E02
	pRecipient    = 0x0C15
	pBody         = 0x1000
	pBodyRTF      = 0x1009
	pBodyHTML     = 0x1013
	pName         = 0x3001
	pMail         = 0x3003
	pSMTP         = 0x39FE
	pData         = 0x3701
	pShortName    = 0x3704
	pMethod       = 0x3705
	pLongName     = 0x3707
	pLink         = 0x370D
	pMIMEType     = 0x370E
	pContentID    = 0x3712
	pLocation     = 0x3713
	pCodePage     = 0x3FFD
	pInternetPage = 0x3FDE
	pClass        = 0x001A
)

// Types of properties that are in a stream of their own.
const (
	kCode  = 0x001E // a text in a code page
	kText  = 0x001F
	kBytes = 0x0102
)

// Read reads the message in data. The error wraps [cfb.ErrMalformed], or is
// the cause that ended ctx.
func Read(ctx context.Context, data []byte, o mail.Options) (*doctree.Document, error) {
	f, err := cfb.Open(data)
	if err != nil {
		return nil, err
	}
	if !f.Root.Has("__properties_version1.0") {
		return nil, fmt.Errorf("%w: no properties", cfb.ErrMalformed)
	}
	r := &reader{left: mapi.MaxText, inflated: mail.MaxInflated}
	r.named, r.keywords = names(f.Root)
	d, err := mail.Build(ctx, "msg", r.message(f.Root, 32, 0), o)
	if err != nil {
		return nil, err
	}
	for _, name := range f.Short() {
		d.WarnPart(name)
	}
	strange := 0
	for name := range f.Root.Names() {
		if !streams.MatchString(name) {
			strange++
		}
	}
	for _, s := range f.Root.Storages {
		if !storages.MatchString(s.Name) {
			strange++
		}
	}
	d.WarnCount("part-unreadable", 0, "Parts of the message that have no valid name and were not read", strange)
	d.WarnCount("part-unreadable", 0, "Texts and data that the message lists and the file does not have", r.absent)
	d.WarnCount("part-unreadable", 0, "Texts that are garbled, because the file lacks a byte before them, or has one too many", r.shifted)
	return d, nil
}

// streams matches the names of the streams of a message (MS-OXMSG 2.1), and those that
// any container may have.
var streams = regexp.MustCompile(`^(?:[\x01-\x05].*|__properties_version1\.0|__substg1\.0_[0-9a-f]{8}(?:-[0-9a-f]{8})?)$`)

// storages matches the names of the storages of a message (MS-OXMSG 2.2).
var storages = regexp.MustCompile(`(?i)^(?:[\x01-\x05].*|__nameid_version1\.0|__(?:recip|attach)_version1\.0_#[0-9a-f]{8}|__substg1\.0_[0-9a-f]{8})$`)

// reader is the state that nested messages share.
type reader struct {
	left     int   // bytes to which compressed texts may still expand
	inflated int64 // bytes to which compressed S/MIME content may still expand

	named    map[uint32]uint16 // property IDs by the number of the named property
	keywords uint16            // the property ID of the categories, or 0

	absent  int // texts and data that the properties list and the file does not have
	shifted int // texts whose characters are divided in the wrong places
}

// object is a storage with properties.
type object struct {
	*cfb.Storage
	reader *reader
	values map[uint16][]byte // values of fixed size, 8 bytes
	page   int
}

// open reads the fixed-size properties of s. header is the size of the
// header before them. It counts the texts and data that are listed there and missing.
func (r *reader) open(s *cfb.Storage, header, page int) object {
	o := object{s, r, map[uint16][]byte{}, page}
	b := s.Stream("__properties_version1.0")
	for at := header; at+16 <= len(b) && len(o.values) < maxNames; at += 16 {
		kind, id := binary.LittleEndian.Uint16(b[at:]), binary.LittleEndian.Uint16(b[at+2:])
		o.values[id] = b[at+8 : at+16]
		end, listed := map[uint16]uint32{kText: 2, kCode: 1, kBytes: 0}[kind]
		if listed && binary.LittleEndian.Uint32(b[at+8:]) > end && !s.Has(streamName(id, fmt.Sprintf("%04x", kind))) {
			r.absent++
		}
	}
	for _, id := range []uint16{pInternetPage, pCodePage} {
		if v := o.number(id); v > 0 && v < 70_000 {
			o.page = v
		}
	}
	return o
}

func (o object) number(id uint16) int {
	if v := o.values[id]; v != nil {
		return int(binary.LittleEndian.Uint32(v))
	}
	return 0
}

func (o object) time(id uint16) time.Time {
	if v := o.values[id]; v != nil {
		return cfb.FileTime(binary.LittleEndian.Uint64(v))
	}
	return time.Time{}
}

func streamName(id uint16, kind string) string {
	return "__substg1.0_" + strings.ToUpper(fmt.Sprintf("%04x", id)) + kind
}

// text returns a text property, in Unicode if available.
func (o object) text(id uint16) string {
	if b := o.Stream(streamName(id, "001F")); b != nil {
		if isShifted(b) {
			o.reader.shifted++
		}
		return cfb.UTF16(b)
	}
	return strings.TrimRight(cfb.Text(o.Stream(streamName(id, "001E")), o.page), "\x00")
}

// isShifted reports whether all characters of a UTF-16 text have the bytes of Latin letters
// in the wrong order: a byte before the text is missing, or there is one too many.
func isShifted(b []byte) bool {
	const least = 6 // bytes: fewer characters may be Chinese
	if len(b) < least {
		return false
	}
	for i := 0; i+1 < len(b); i += 2 {
		if b[i] != 0 || b[i+1] >= 0x80 {
			return false
		}
		if b[i+1] == 0 { // its end
			return i >= least
		}
	}
	return true
}

func (o object) bytes(id uint16) []byte { return o.Stream(streamName(id, "0102")) }

// message reads the message in s. header is the size of the header of its
// properties.
func (r *reader) message(s *cfb.Storage, header, depth int) *mail.Message {
	o := r.open(s, header, 1252)
	from := mail.Person(o.text(pSenderName), first(o.text(pSenderSMTP), o.text(pSenderMail)))
	sender := ""
	if other := mail.Person(o.text(pSentForName), first(o.text(pSentForSMTP), o.text(pSentForMail))); other != "" && o.text(pSentForName) != o.text(pSenderName) {
		from, sender = other, from
	}
	to, cc, bcc, more := recipients(o)
	l := &mail.Message{Subject: strings.TrimSpace(strings.TrimLeft(o.text(pSubject), "\x01")), Author: from}
	if l.Sent = o.time(pSubmitted); l.Sent.IsZero() {
		l.Sent = o.time(pDelivered)
	}
	date := ""
	if !l.Sent.IsZero() {
		date = l.Sent.Format("2006-01-02 15:04:05 UTC")
	}
	l.Fields = []mail.Field{
		{Name: "From", Value: from},
		{Name: "Sender", Value: sender},
		{Name: "To", Value: first(to, o.text(pTo))},
		{Name: "Cc", Value: first(cc, o.text(pCc))},
		{Name: "Bcc", Value: first(bcc, o.text(pBcc))},
		{Name: "Date", Value: date},
	}
	l.Fields = append(append(l.Fields, r.item(o)...), mail.Field{Name: "Categories", Value: r.categories(o)})
	if strings.HasPrefix(strings.ToLower(o.text(pClass)), "ipm.distlist") {
		members, lost := r.members(o)
		l.Fields = append(l.Fields, mail.Field{Name: "Members", Value: members})
		if lost > 0 {
			l.Warnings = append(l.Warnings, doctree.Warning{Code: "part-unreadable", Text: fmt.Sprintf("Members of the distribution list that were not read: %d.", lost)})
		}
	}
	l.Parts = r.body(o)
	omitted := 0
	for _, sub := range s.Storages {
		if !strings.HasPrefix(strings.ToLower(sub.Name), "__attach_version1.0_") {
			continue
		}
		if len(l.Attachments) >= maxFiles {
			omitted++
			continue
		}
		l.Attachments = append(l.Attachments, r.attachment(r.open(sub, 8, o.page), depth))
	}
	if more > 0 {
		l.Warnings = append(l.Warnings, doctree.Warning{Code: "truncated", Text: fmt.Sprintf("The message has more than %d recipients; left out: %d.", maxNames, more)})
	}
	if omitted > 0 {
		l.Warnings = append(l.Warnings, doctree.Warning{Code: "truncated", Text: fmt.Sprintf("The message has more than %d attachments; left out: %d.", maxFiles, omitted)})
	}
	if strings.HasPrefix(strings.ToLower(o.text(pClass)), "ipm.note.smime") {
		r.sealed(l)
	}
	return l
}

// sealed replaces the text of a signed or encrypted message by the content
// of its only attachment ([MS-OXOSMIME]).
func (r *reader) sealed(l *mail.Message) {
	why := mail.WhySealed(nil)
	if len(l.Attachments) == 1 {
		why = mail.WhySealed(l.Attachments[0].Data)
		if inner := mail.Opaque(l.Attachments[0].Data, &r.inflated); inner != nil {
			l.Parts, l.Attachments, l.Warnings = inner.Parts, inner.Attachments, append(l.Warnings, inner.Warnings...)
			return
		}
	}
	if len(l.Parts) == 0 {
		l.Warnings = append(l.Warnings, doctree.Warning{Code: "part-unreadable", Text: why})
	}
}

func (r *reader) attachment(o object, depth int) mail.Attachment {
	a := mail.Attachment{
		Name: first(o.text(pLongName), o.text(pShortName), o.text(pName)), ContentType: o.text(pMIMEType),
		ID: strings.Trim(o.text(pContentID), "<>"), Location: o.text(pLocation), Data: o.bytes(pData),
	}
	switch inner := o.Storage.Storage(streamName(pData, "000D")); {
	case inner == nil:
		if link := o.text(pLink); len(a.Data) == 0 && link != "" { // the file is elsewhere
			a.Name = strings.TrimSpace(a.Name + " " + link)
		}
	case o.number(pMethod) == 6:
		object := inner.Object(r.inflated)
		r.inflated -= int64(len(object.Data))
		a.Name, a.Data = first(a.Name, object.Name, object.Program), object.Data
	case depth < maxDepth:
		a.Message = r.message(inner, 24, depth+1)
		a.ContentType = first(a.ContentType, "message/rfc822")
	}
	return a
}

// body returns the richest form of the text.
func (r *reader) body(o object) []mail.Part {
	t := mapi.Texts{HTML: o.bytes(pBodyHTML), RTF: o.bytes(pBodyRTF), Plain: o.text(pBody)}
	if t.HTML != nil {
		t.Charset = mapi.Charset(o.number(pInternetPage))
	} else if text := o.text(pBodyHTML); text != "" {
		t.HTML, t.Charset = []byte(text), "utf-8"
	}
	contentType, data := t.Richest(&r.left)
	if contentType == "" {
		return nil
	}
	return []mail.Part{{ContentType: contentType, Data: data}}
}

// recipients returns the recipients in the recipient list of o, and how many more there are.
func recipients(o object) (to, cc, bcc string, more int) {
	lists := map[int][]string{}
	count := 0
	for _, sub := range o.Storages {
		if !strings.HasPrefix(strings.ToLower(sub.Name), "__recip_version1.0_") {
			continue
		}
		if count++; count > maxNames {
			more++
			continue
		}
		r := o.reader.open(sub, 8, o.page)
		who := mail.Person(r.text(pName), first(r.text(pSMTP), r.text(pMail)))
		if kind := r.number(pRecipient) & 3; who != "" && !slices.Contains(lists[kind], who) {
			lists[kind] = append(lists[kind], who)
		}
	}
	return strings.Join(lists[1], ", "), strings.Join(lists[2], ", "), strings.Join(lists[3], ", "), more
}

// first returns the first text that is not blank.
//
//go:noinline // it has many callers
func first(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}
