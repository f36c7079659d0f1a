// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"example.com/curlew"
	"example.com/curlew/fetch"
	"example.com/curlew/internal/sorting"
	"example.com/curlew/job"
)

// follow writes the pages of a crawl as they arrive, and then the summary.
func (s *site) follow(j running) error {
	manifest, err := s.folder.list("manifest.jsonl")
	if err != nil {
		return err
	}
	found := &changes{n: map[string]int{}}
	if found.list, err = s.folder.list("changes.jsonl"); err != nil {
		return err
	}
	done := false
	defer func() {
		if !done {
			manifest.abandon()
			found.list.abandon()
			_ = s.folder.end(false) // the error of the crawl matters
		}
	}()
	if err := s.folder.begin(); err != nil {
		return err
	}
	line := newProgress(s.env, j)
	defer line.stop()
	read, err := s.pages(j, line, manifest, found)
	if err != nil {
		return err
	}
	line.stop()
	now, err := j.state(s.ctx)
	if err != nil {
		return s.interrupted(err)
	}
	if manifest.n > 0 { // a site that answers nothing has not removed its pages
		if err := s.compare(j, now, found); err != nil {
			return err
		}
	}
	done = true
	if err := errors.Join(s.folder.end(true), manifest.end(), found.list.end()); err != nil { // without a page, the lists of the crawl before stay
		return err
	}
	if manifest.n > 0 && found.list.n == 0 {
		if err := s.folder.discard(found.list.name); err != nil {
			return err
		}
	}
	return s.finish(j, now, found, read)
}

// outcomes counts the pages of a crawl that have no text of their own.
type outcomes struct {
	failed, empty int
	first         error // of the first page that failed
}

// pages writes the pages of a crawl as they arrive, until it ends.
func (s *site) pages(j running, line *progress, manifest *list, found *changes) (read outcomes, err error) {
	s.deepest = 0
	for raw, err := range j.pages(s.ctx) {
		if err != nil {
			line.stop()
			return read, s.interrupted(err)
		}
		p := new(page)
		if err := json.Unmarshal(raw, p); err != nil {
			return read, fmt.Errorf("a stored page cannot be read: %w", err)
		}
		e, err := s.folder.write(raw, p)
		if err != nil {
			return read, s.resumable(err)
		}
		if e.Note != "" {
			s.folder.warned++
		}
		if p.Depth != nil && s.flags.Depth >= 0 && *p.Depth >= s.flags.Depth {
			s.deepest++
		}
		s.detail("%s: %s", clean(e.URL), clean(e.outcome()))
		switch {
		case e.empty:
			read.empty++
		case e.Error != "":
			read.failed++
		}
		if e.Error != "" {
			read.first = cmpErr(read.first, fmt.Errorf("%s: %s", e.URL, e.Error))
		}
		if err := errors.Join(manifest.add(e), found.met(e)); err != nil {
			return read, s.resumable(err)
		}
	}
	return read, nil
}

// compare completes the changes of a crawl, and counts them in its state: a page that only
// failed has not changed.
func (s *site) compare(j running, now *state, found *changes) error {
	if now.Changes == nil {
		return nil
	}
	urls, err := j.gone(s.ctx)
	if err != nil {
		return err
	}
	if err := found.removed(urls, now.Changes.Gone); err != nil {
		return err
	}
	now.Changes.New, now.Changes.Changed, now.Changes.Gone = found.n["added"], found.n["changed"], found.n["removed"]
	return nil
}

func cmpErr(first, then error) error {
	if first != nil {
		return first
	}
	return then
}

// interrupted says how to continue, if a signal ended the work.
func (s *site) interrupted(err error) error {
	if s.ctx.Err() == nil {
		return err
	}
	return s.resumable(context.Cause(s.ctx))
}

// resumable says how to continue after err.
func (s *site) resumable(err error) error {
	if s.server != "" {
		return fmt.Errorf("%w; the server goes on with the crawl: to get its pages, run curlew crawl --resume --remote %s -o %s", err, quoted(s.server), quoted(s.dir))
	}
	if s.schedule.every > 0 {
		return fmt.Errorf("%w; the same command continues the crawl", err)
	}
	text := "curlew crawl --resume -o " + quoted(s.dir)
	if s.private {
		text += " --allow-private"
	}
	if others := sorting.Without(s.network(), func(name string) bool { return name == allowPrivate }); len(others) > 0 {
		text += " and the same " + strings.Join(others, ", ")
	}
	return fmt.Errorf("%w; continue with: %s", err, text)
}

// quoted returns an argument as a POSIX shell reads it (Shell Command Language, 2.2.2).
func quoted(argument string) string {
	plain := func(r rune) bool {
		return r > 0x7F && unicode.IsLetter(r) || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_./:@%+,-", r)
	}
	if argument != "" && strings.IndexFunc(argument, func(r rune) bool { return !plain(r) }) < 0 {
		return argument
	}
	return "'" + strings.ReplaceAll(argument, "'", `'\''`) + "'"
}

// summary is the result of a crawl as JSON.
type summary struct {
	URL      string          `json:"url"`
	State    job.State       `json:"state"`
	Folder   string          `json:"folder"`
	Pages    int             `json:"pages"` // delivered pages, including pages without a file
	Files    int             `json:"files"`
	Errors   int             `json:"errorPages"` // answered with an error status, or not as Markdown: no file
	Empty    int             `json:"emptyPages"` // without text: no file
	Failed   int             `json:"failed"`     // could not be fetched or read
	Blocked  int             `json:"robotsBlocked"`
	Warned   int             `json:"withWarnings"`               // written, but with a warning in the manifest
	Refused  map[string]int  `json:"linksNotFollowed,omitempty"` // by rule
	Deepest  int             `json:"pagesAtDepth,omitempty"`     // at --depth: their links were not read
	Others   int             `json:"otherFiles,omitempty"`       // Markdown files in the folder that this crawl has not written
	Changes  *curlew.Changes `json:"changes,omitempty"`
	Report   string          `json:"changesFile,omitempty"`
	Warning  string          `json:"warning,omitempty"`
	Seconds  float64         `json:"seconds"`
	Failures string          `json:"failures,omitempty"` // file that lists them
	Layout   string          `json:"file,omitempty"`     // file with all pages; if absent, each page has its own
}

// finish writes the failures and the summary.
func (s *site) finish(j running, now *state, found *changes, read outcomes) error {
	first := read.first
	failures, err := s.folder.list("failed.jsonl")
	if err != nil {
		return err
	}
	for f, err := range j.failures(s.ctx) {
		if err != nil {
			failures.abandon()
			return err
		}
		first = cmpErr(first, fmt.Errorf("%s: %s", f.URL, f.Text))
		s.detail("%s: failed: %s", clean(f.URL), clean(f.Text))
		if err := failures.add(f.JSON); err != nil {
			return err
		}
	}
	if failures.n == 0 {
		if err := s.folder.discard(failures.name); err != nil {
			return err
		}
	}
	if err := failures.end(); err != nil {
		return err
	}
	sum := summary{
		URL: s.flags.URL, State: now.State, Folder: s.dir, Pages: now.Pages, Files: s.folder.written, Errors: read.failed, Empty: read.empty,
		Failed: now.Failed, Blocked: now.Blocked, Warned: s.folder.warned, Refused: now.Refused, Deepest: s.deepest, Changes: now.Changes, Warning: now.Warning, Seconds: time.Since(s.begun).Seconds(),
	}
	if sum.Files > 0 {
		sum.Others = s.folder.others()
	}
	sum.Layout = map[string]string{"jsonl": allJSON, "single": allText}[s.folder.layout]
	if found.list.n > 0 {
		sum.Report = filepath.Join(s.dir, own, "changes.jsonl")
	}
	if failures.n > 0 {
		sum.Failures = filepath.Join(s.dir, own, "failed.jsonl")
	}
	if s.asJSON {
		if err := json.NewEncoder(s.out).Encode(&sum); err != nil {
			return err
		}
	}
	s.tell(&sum)
	hooked := s.tellHook(j, found, now.Changes)
	switch {
	case now.State != job.Completed:
		return fmt.Errorf("the crawl ended as %s: %s", now.State, now.Err)
	case s.folder.written == 0 && first != nil:
		if strings.Contains(first.Error(), fetch.ErrAddress.Error()) {
			first = fmt.Errorf("%w; --allow-private opens all addresses", first)
		}
		return fmt.Errorf("no page could be written: %w", first)
	case s.folder.written == 0 && now.Blocked > 0:
		return fmt.Errorf("no page could be written: %d URL(s) were left out because of robots.txt", now.Blocked)
	case s.folder.written == 0:
		return errors.New("no page could be written")
	case s.strict && failures.n+read.failed > 0:
		return &fault{exitInput, fmt.Errorf("%d pages failed", failures.n+read.failed)}
	case hooked != nil:
		return hooked
	case now.Changes != nil && found.total() > 0:
		return &fault{exitChanged, errors.New("")}
	}
	return nil
}

// tell prints the summary for people.
func (s *site) tell(sum *summary) {
	parts := []string{fmt.Sprintf("%d pages in %.1fs", sum.Pages, sum.Seconds)}
	for _, p := range []struct {
		n    int
		what string
	}{
		{sum.Failed, "failed"},
		{sum.Errors, "without a file because of their status"},
		{sum.Empty, "without a file because they have no text"},
		{sum.Blocked, "left out because of robots.txt"},
		{sum.Warned, "with a warning in the manifest"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	s.say("%s", strings.Join(parts, ", "))
	if left := notFollowed(sum.Refused); left != "" {
		s.say("links that were not followed: %s", left)
	}
	if sum.Deepest > 0 {
		s.say("pages whose links were not read, because they are %d links from the start page (--depth): %d", s.flags.Depth, sum.Deepest)
	}
	if c := sum.Changes; c != nil {
		text := fmt.Sprintf("new %d changed %d gone %d same %d", c.New, c.Changed, c.Gone, c.Same)
		if sum.Report != "" {
			text += "; listed in " + sum.Report
		}
		s.say("%s", text)
	}
	if sum.Warning != "" && sum.Files > 0 { // otherwise the error of the command says it
		s.warn("", inWords(sum.Warning))
	}
	text := fmt.Sprintf("wrote %s (%d files, %s)", sum.Folder, sum.Files, size(s.folder.bytes))
	switch {
	case sum.Files == 0:
		text = "wrote no file to " + sum.Folder
	case sum.Layout != "":
		text = fmt.Sprintf("wrote %s (%d pages, %s)", filepath.Join(sum.Folder, sum.Layout), sum.Files, size(s.folder.bytes))
	}
	if sum.Failures != "" {
		text += "; failures in " + sum.Failures
	}
	s.say("%s", text)
	if sum.Others > 0 {
		s.say("%s has %d other Markdown files, for example of an earlier crawl; the files of this one are in %s", sum.Folder, sum.Others, filepath.Join(sum.Folder, own, "manifest.jsonl"))
	}
}

// refusals describes the links that a crawl does not follow because of a rule, if there may be
// pages behind them that nothing else in the summary names.
var refusals = []struct{ rule, what string }{
	{"external", "to other sites (--external)"},
	{"social", "to social networks"},
	{"backward", "outside the path of the start page (--entire-domain)"},
	{"excluded", "excluded (--exclude)"},
	{"not-included", "not included (--include)"},
	{"file-type", "to images, scripts, archives and such"},
	{"nofollow", "with nofollow"},
	{"threat-list", "blocked by a list of threats"},
	{"trap", "of the shape of an endless site"},
	{"parse", "malformed"},
	{"room", "more than the crawl can remember"},
}

// notFollowed counts links that were not followed, in words.
func notFollowed(byRule map[string]int) string {
	var parts []string
	for _, r := range refusals {
		if n := byRule[r.rule]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, r.what))
		}
	}
	return strings.Join(parts, ", ")
}

// inWords replaces what a warning says about the API by what the command offers.
func inWords(warning string) string {
	return strings.NewReplacer(
		"scrape it (in the API: the /scrape endpoint).", "use: curlew scrape URL",
		"set crawlEntireDomain=true or", "use --entire-domain, or",
	).Replace(warning)
}

// size returns a number of bytes in words.
func size(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	default:
		return fmt.Sprintf("%.1f KB", float64(n)/1e3)
	}
}
