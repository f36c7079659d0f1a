// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"slices"
	"strings"
)

// mailHeaders are fields that a message begins with, in lower case.
var mailHeaders = [...]string{
	"received", "return-path", "delivered-to", "from", "to", "cc", "subject", "date", "message-id", "mime-version",
	"content-type", "content-transfer-encoding", "reply-to", "sender", "in-reply-to", "references", "dkim-signature",
	"x-mailer", "x-received", "authentication-results", "arc-seal", "list-unsubscribe", "snapshot-content-location",
}

// mailTraces are those of them that nothing but mail begins with.
var mailTraces = [...]string{
	"received", "return-path", "delivered-to", "dkim-signature", "x-received", "authentication-results", "arc-seal",
}

// byMail counts known fields in what looks like the head of a message. Two do,
// one where it is declared to be mail, or is one of mailTraces before more
// fields than detection reads.
func byMail(x *exhibit, said declaration) Detection {
	text := plain(x.head)
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
	case head.related && (said.kind == MHTML || !traced && !head.has("to") && !head.has("cc")): // mail with pictures is related too
		return Detection{Kind: MHTML, Confidence: .95, Evidence: "mail header, multipart/related"}
	default:
		return Detection{Kind: EML, Confidence: .95, Evidence: "mail header"}
	}
}

// mailHead is the head of what may be a message.
type mailHead struct {
	known   map[string]bool // of mailHeaders
	related bool            // multipart/related, as web archives are
	cut     bool            // it goes on behind what was read
}

func (h mailHead) has(name string) bool { return h.known[name] }

// readMailHead reads the fields that text begins with, and is not ok where
// another line stands before the first empty one. Where text is a piece, its
// last line is none unless it is ended.
func readMailHead(text string, piece bool) (h mailHead, ok bool) {
	h = mailHead{known: map[string]bool{}, cut: piece}
	rest, mbox := strings.CutPrefix(text, "From ") // the line before a message in mbox form
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
				continue // the rest of that line
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
