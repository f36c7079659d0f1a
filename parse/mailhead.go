// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"slices"
	"strings"
)

// mailHeaders are header fields that messages begin with, in lower case.
var mailHeaders = [...]string{
	"received", "return-path", "delivered-to", "from", "to", "cc", "subject", "date", "message-id", "mime-version",
	"content-type", "content-transfer-encoding", "reply-to", "sender", "in-reply-to", "references", "dkim-signature",
	"x-mailer", "x-received", "authentication-results", "arc-seal", "list-unsubscribe", "snapshot-content-location",
}

// mailTraces are the fields of mailHeaders that occur only in mail.
var mailTraces = [...]string{
	"received", "return-path", "delivered-to", "dkim-signature", "x-received", "authentication-results", "arc-seal",
}

// byMail detects a message by known fields in its header. It needs two of
// them. One is enough if the document is declared to be mail, or if the
// field is one of mailTraces and the header is longer than what detection
// reads.
func byMail(x *exhibit, said declaration) Detection {
	text := x.start()
	declared := said.kind == EML || said.kind == MHTML
	if declared {
		text = strings.TrimLeft(text, " \t\r\n")
	}
	head, ok := readMailHead(text, len(x.head) == headSize)
	if !ok {
		return Detection{}
	}
	traced := slices.ContainsFunc(mailTraces[:], head.has)
	least := 2
	if declared || traced && head.cut {
		least = 1
	}
	switch {
	case len(head.known) < least:
		return Detection{}
	case head.related && (said.kind == MHTML || !traced && !head.has("to") && !head.has("cc")): // mail with inline images is multipart/related too
		return Detection{Kind: MHTML, Confidence: .95, Evidence: "mail header, multipart/related"}
	default:
		return Detection{Kind: EML, Confidence: .95, Evidence: "mail header"}
	}
}

// mailHead is the header of a possible mail message.
type mailHead struct {
	known   map[string]bool // fields of mailHeaders that occur
	related bool            // the content type is multipart/related, as in web archives
	cut     bool            // the header is longer than what was read
}

func (h mailHead) has(name string) bool { return h.known[name] }

// readMailHead reads the header fields at the start of text. It returns
// false if a line before the first empty line is not a header field. If
// piece is set, text is only the start of the document, and an unfinished
// last line is ignored.
func readMailHead(text string, piece bool) (h mailHead, ok bool) {
	h = mailHead{known: map[string]bool{}, cut: piece}
	rest, mbox := strings.CutPrefix(text, "From ") // the separator line before a message in an mbox file
	for line := range strings.Lines(rest) {
		if piece && !strings.HasSuffix(line, "\n") {
			break
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			h.cut = false
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			h.related = h.related || h.known["content-type"] && strings.Contains(strings.ToLower(line), "multipart/related")
			continue
		}
		name, value, field := strings.Cut(line, ":")
		if !field || strings.ContainsAny(name, " \t") {
			if mbox && len(h.known) == 0 {
				continue // the rest of the separator line
			}
			return h, false
		}
		name = strings.ToLower(name)
		if slices.Contains(mailHeaders[:], name) {
			h.known[name] = true
		}
		if name == "content-type" {
			h.related = strings.HasPrefix(strings.ToLower(strings.TrimSpace(value)), "multipart/related")
		}
	}
	return h, true
}
