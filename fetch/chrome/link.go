// SPDX-License-Identifier: Apache-2.0

package chrome

import (
	"strings"

	"github.com/chromedp/cdproto/cdp"

	"example.com/curlew/internal/weburl"
)

// base returns the URL that the relative URLs of a document refer to. It returns the zero URL
// if they may stay as they are, because a reader who knows only the URL at of the page and its
// base element finds the same. That is not so in frames, for which at is empty, and after
// history.pushState.
func base(document *cdp.Node, at string) weburl.URL {
	shown, _, _ := strings.Cut(document.DocumentURL, "#")
	if at, _, _ = strings.Cut(at, "#"); shown == at {
		return weburl.URL{}
	}
	u, _ := weburl.Parse(document.BaseURL) // a document of a script may have none
	return u
}

// link returns the value of an attribute. Relative URLs in it are absolute if the document has
// a base. Fragments stay, because what they refer to is part of the same text.
func (w *writer) link(name, value string) string {
	if w.base.IsZero() {
		return value
	}
	switch name {
	case "action", "background", "cite", "data", "data-src", "formaction", "href", "poster", "src":
		return absolute(w.base, value)
	case "data-srcset", "imagesrcset", "srcset":
		return sources(w.base, value)
	}
	return value
}

// absolute returns a URL of a document whose base is known. It returns what is no relative URL
// as it is.
func absolute(base weburl.URL, value string) string {
	value = strings.TrimSpace(value)
	if value == "" || value[0] == '#' || weburl.HasScheme(value) {
		return value
	}
	u, err := base.Resolve(value)
	if err != nil {
		return value
	}
	return u.String()
}

// sources makes the URLs of a srcset absolute (HTML standard, section 4.8.4.2.1): each stands
// before the descriptors of its image, which end with a comma. A comma at the end of a URL
// means that there are none.
func sources(base weburl.URL, value string) string {
	var all []string
	for {
		value = strings.TrimLeft(value, ", \t\n\f\r")
		if value == "" {
			return strings.Join(all, ", ")
		}
		end := strings.IndexAny(value, " \t\n\f\r")
		if end < 0 {
			end = len(value)
		}
		at, rest := value[:end], value[end:]
		descriptors := ""
		if bare := strings.TrimRight(at, ","); bare != at {
			at = bare
		} else {
			descriptors, rest, _ = strings.Cut(rest, ",")
		}
		all = append(all, strings.TrimSpace(absolute(base, at)+" "+strings.TrimSpace(descriptors)))
		value = rest
	}
}
