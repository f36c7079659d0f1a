// SPDX-License-Identifier: Apache-2.0

package render

import (
	"strings"
	"sync"

	"example.com/curlew/internal/weburl"
)

const (
	trials       = 3     // pages of a template that are shown before the Fetcher judges it
	again        = 16    // if the pages of a template stay empty, one page in so many is shown
	maxTemplates = 1_000 // templates that a Fetcher knows; pages of others are always shown
	longSegment  = 24    // bytes; a longer segment of a path is taken for a name of one page
)

// Reasons why a page that needs scripts is not shown.
const (
	beyondMost = "the page needs its scripts, but it was not shown in the browser: the pages that may be shown are used up"
	staysEmpty = "the page needs its scripts, but it was not shown in the browser: pages of this kind are empty after their scripts too"
)

// shells counts the pages of a Fetcher that need scripts.
type shells struct {
	mu        sync.Mutex
	shown     int                  // pages that were shown, or are being shown
	templates map[string]*template // by [templateOf]
}

// template counts the pages of a template that need scripts.
type template struct {
	pages  int // all of them
	shown  int // pages that a browser has shown
	filled int // pages that were not empty after their scripts
}

// begin decides whether a page that needs scripts is shown. It returns "" or the reason
// why it is not.
func (s *shells) begin(url string, most int) (why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.of(url); t != nil {
		if t.pages++; t.shown >= trials && t.filled == 0 && t.pages%again != 0 {
			return staysEmpty
		}
	}
	if most > 0 && s.shown >= most {
		return beyondMost
	}
	s.shown++
	return ""
}

// unshown records that a page for which begin returned "" did not reach the browser.
func (s *shells) unshown() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown--
}

// end records that a page for which begin returned "" was shown, and whether it has
// content after its scripts.
func (s *shells) end(url string, filled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.of(url); t != nil {
		t.shown++
		if filled {
			t.filled++
		}
	}
}

// of returns the template of a page, or nil if there are too many. The caller holds mu.
func (s *shells) of(url string) *template {
	key := templateOf(url)
	t := s.templates[key]
	if t == nil && len(s.templates) < maxTemplates {
		if s.templates == nil {
			s.templates = map[string]*template{}
		}
		t = new(template)
		s.templates[key] = t
	}
	return t
}

// templateOf returns the part of a URL that the pages of one template usually share: the
// origin and the path without its last segment, with a star for each segment that has a
// digit or is long.
func templateOf(url string) string {
	u, err := weburl.Parse(url)
	if err != nil {
		return ""
	}
	segments := strings.Split(u.Path(), "/")
	for i, s := range segments {
		if i == len(segments)-1 && s != "" || len(s) > longSegment || strings.ContainsAny(s, "0123456789") {
			segments[i] = "*"
		}
	}
	return u.Origin() + strings.Join(segments, "/")
}
