// SPDX-License-Identifier: Apache-2.0

// Package robots reads robots.txt: bytes -> rules (RFC 9309, and Google's
// published behaviour where the RFC is silent).
package robots

import "time"

// File is one robots.txt. It is immutable and safe for concurrent use.
type File struct{}

// Parse reads body. Nothing is ever a parse error.
func Parse(body []byte) *File { panic("skeleton") }

// Agent returns the rules that bind the crawler with these product tokens.
func (f *File) Agent(tokens ...string) *Rules { panic("skeleton") }

// Sitemaps returns the values of the Sitemap lines, in order.
func (f *File) Sitemaps() []string { panic("skeleton") }

// Rules are what one agent must obey. A nil *Rules allows everything.
type Rules struct{}

// Match is the line that decided; zero where none did.
type Match struct {
	Line    int    // from 1
	Pattern string // as compiled
}

// Allowed decides for path and query in the form of weburl.URL.RobotsPath.
func (r *Rules) Allowed(pathAndQuery string) (bool, Match) { panic("skeleton") }

// CrawlDelay returns the pause that the file asks for.
func (r *Rules) CrawlDelay() (time.Duration, bool) { panic("skeleton") }
