// SPDX-License-Identifier: Apache-2.0

package mail

import (
	"fmt"
	"time"

	"example.com/curlew/parse/internal/mapi"
)

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
	if l.blank() {
		if contentType, text := m.Texts.Richest(left); contentType != "" {
			l.Parts = append(l.Parts, Part{ContentType: contentType, Data: text})
		}
	}
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
	l := &Message{Subject: m.Subject, Author: m.From, Sent: m.Sent}
	l.Fields = []Field{{"From", m.From}, {"To", m.To}, {"Date", date(m.Sent)}}
	l.take(m, left)
	return l
}

func date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format("2006-01-02 15:04:05 UTC")
}
