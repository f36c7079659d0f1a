// SPDX-License-Identifier: Apache-2.0

package mail

import (
	"bytes"
	"regexp"
)

// field1 matches the first field of a message at the start of a text.
var field1 = regexp.MustCompile(`^>?[A-Za-z][A-Za-z0-9-]*:`)

// escaped matches lines of a message that a mailbox escapes, so that they do not look
// like the separators of messages.
var escaped = regexp.MustCompile(`(?m)^>(>*From )`)

// dated matches a separator of messages with a sender and a date.
var dated = regexp.MustCompile(`^From \S+ +[A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9]?[0-9] [0-9]{2}:[0-9]{2}`)

// mailbox returns the messages of an mbox file (RFC 4155). It returns nil if data is a
// single message. A message begins with a line "From " which a field follows. An empty
// line comes before it, or the line has a sender and a date.
func mailbox(data []byte) (messages [][]byte) {
	if !bytes.HasPrefix(data, []byte("From ")) {
		return nil
	}
	from := 0
	for at := 0; at < len(data); {
		next := bytes.Index(data[at:], []byte("\nFrom "))
		if next < 0 {
			break
		}
		at += next + 1
		_, rest, _ := bytes.Cut(data[at:], []byte("\n"))
		before := bytes.TrimRight(data[from:at], " \t\r")
		apart := bytes.HasSuffix(before, []byte("\n\n")) || bytes.HasSuffix(before, []byte("\n\r\n")) || dated.Match(data[at:min(len(data), at+200)])
		if apart && field1.Match(rest[:min(len(rest), 80)]) {
			messages = append(messages, data[from:at])
			from = at
		}
	}
	if messages == nil {
		return nil
	}
	messages = append(messages, data[from:])
	for i, m := range messages {
		_, m, _ = bytes.Cut(m, []byte("\n"))
		messages[i] = escaped.ReplaceAll(m, []byte("$1"))
	}
	return messages
}
