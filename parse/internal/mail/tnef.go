// SPDX-License-Identifier: Apache-2.0

package mail

import (
	"context"
	"fmt"
	"time"

	"example.com/curlew/internal/doctree"
	"example.com/curlew/parse/internal/mapi"
)

// TNEF reads a winmail.dat that is a file of its own. The errors are those of [Read].
func TNEF(ctx context.Context, data []byte, o Options) (*doctree.Document, error) {
	m, err := mapi.TNEF(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return Build(ctx, "msg", within(m, new(mapi.MaxText)), o)
}

// tnef adds the files in a winmail.dat to l, and its text if l has none. It
// returns false if the data cannot be read.
func (w *walker) tnef(data []byte, l *Message) bool {
	m, err := mapi.TNEF(data)
	if err != nil {
		return false
	}
	l.take(m, &w.texts)
	return true
}

func (l *Message) take(m *mapi.Message, left *int) {
	if m.Omitted > 0 {
		l.warn("truncated", fmt.Sprintf("The message has too many attachments, or messages in each other; left out: %d.", m.Omitted))
	}
	if m.Damaged > 0 {
		l.warn("part-unreadable", fmt.Sprintf("The winmail.dat of the message is damaged or ends too early. Places where that shows: %d.", m.Damaged))
	}
	if l.blank() {
		if contentType, text := m.Texts.Richest(left); contentType != "" {
			l.Parts = append(l.Parts, Part{ContentType: contentType, Data: text})
		}
	}
	l.Fields = append(l.Fields, Item(m.Class, m.Text, m.Time)...)
	for _, f := range m.Files {
		a := Attachment{Name: f.Name, ContentType: f.ContentType, ID: f.ID, Location: f.Location, Data: f.Data}
		if f.Message != nil {
			a.ContentType, a.Message = "message/rfc822", within(f.Message, left)
		}
		l.Attachments = append(l.Attachments, a)
	}
}

// within converts a message inside a message.
func within(m *mapi.Message, left *int) *Message {
	from := Person(m.From, m.Mail)
	l := &Message{Subject: m.Subject, Author: from, Sent: m.Sent}
	l.Fields = []Field{{"From", from}, {"To", m.To}, {"Cc", m.Cc}, {"Bcc", m.Bcc}, {"Date", date(m.Sent)}}
	l.take(m, left)
	return l
}

func date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format("2006-01-02 15:04:05 UTC")
}
