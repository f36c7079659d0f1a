// SPDX-License-Identifier: Apache-2.0

// Package notices writes the sentences of warnings.
package notices

import (
	"fmt"
	"strconv"
	"strings"

	"example.com/curlew/crawl/frontier"
	"example.com/curlew/crawl/scope"
	"example.com/curlew/internal/weburl"
	"example.com/curlew/parse"
)

// Join joins the sentences that are not empty.
func Join(texts ...string) string {
	kept := texts[:0:0]
	for _, t := range texts {
		if t != "" {
			kept = append(kept, t)
		}
	}
	return strings.Join(kept, " ")
}

// OfTree returns a sentence for each warning. Warnings of one code about several pages
// are combined in one sentence.
func OfTree(warnings []parse.Warning) []string {
	var texts []string
	at := map[string]int{} // index of the sentence for each code
	more := map[string][]string{}
	for _, w := range warnings {
		_, again := at[w.Code]
		switch {
		case w.Page == 0:
			texts = append(texts, w.Text)
		case !again:
			at[w.Code] = len(texts)
			texts = append(texts, fmt.Sprintf("Page %d: %s", w.Page, w.Text))
		default:
			more[w.Code] = append(more[w.Code], strconv.Itoa(w.Page))
		}
	}
	for code, pages := range more {
		list := strings.Join(pages[:min(len(pages), 20)], ", ")
		if len(pages) > 20 {
			list += ", …"
		}
		texts[at[code]] += " So on pages " + list + "."
	}
	return texts
}

// LeftOut returns sentences about the URLs that a crawl has not visited for other reasons
// than its limit.
func LeftOut(s *frontier.Stats) (texts []string) {
	if e := s.Endless; e.Left > 0 {
		text := fmt.Sprintf("At least %d known URL(s) seem to belong to spaces without an end and were not visited, beside %d that were.", e.Left, e.Taken)
		if len(e.Spaces) > 0 {
			first := e.Spaces[0]
			text += fmt.Sprintf(" %d of them are like %s, for example %s.", first.Left, first.Pattern, first.Example)
		}
		texts = append(texts, text)
	}
	if n := s.Refused[scope.RuleTrap]; n > 0 {
		texts = append(texts, fmt.Sprintf("%d link(s) were not followed because their URLs are too long, too deep or repeat themselves.", n))
	}
	if s.Damaged > 0 {
		texts = append(texts, Damaged(s.Damaged))
	}
	if s.Spent {
		texts = append(texts, fmt.Sprintf("The crawl ended after %d requests, the most for its limit: pages that failed or moved have used them up. %d known URL(s) were not visited.", s.Requests, s.Pending))
	}
	if n := s.Refused[scope.RuleRoom]; n > 0 {
		texts = append(texts, fmt.Sprintf("%d link(s) or sitemap(s) were not followed. A crawl knows at most ten times as many URLs as its limit and 1,000 more, "+
			"reads 100,000 links of a page, and 1,000 sitemaps, nested up to 3 deep.", n))
	}
	return texts
}

// Damaged returns a sentence about n sitemaps that were not read completely, or "" if n is zero.
func Damaged(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n) + " sitemap(s) could not be read, or only in part, so pages that only they list may be missing."
}

// Unavailable returns a sentence about n pages of a job whose site did not deliver their content,
// or "" if n is zero.
func Unavailable(n int) string {
	if n == 0 {
		return ""
	}
	return "For " + strconv.Itoa(n) + " page(s) the last answer of the site was status 429, or 500 and above, so their content is missing."
}

// Early returns a sentence about n known URLs of a job that was cancelled or failed, or "" if
// n is zero.
func Early(n int) string {
	if n == 0 {
		return ""
	}
	return "The job ended early: " + strconv.Itoa(n) + " known URL(s) have no result."
}

// Coding returns sentences about the content coding of a page: what its header still names, because
// it is unknown, and data after its end. They are "" for most pages.
func Coding(unknown string, excess bool) string {
	var texts [2]string
	if unknown != "" && !strings.EqualFold(unknown, "identity") {
		texts[0] = fmt.Sprintf("The server names a content coding that is unknown, so the page was read as it arrived: %.40q.", unknown)
	}
	if excess {
		texts[1] = "The page goes on after the end of its compressed data. What follows was left out."
	}
	return Join(texts[:]...)
}

// Few returns a sentence about a crawl that was kept to the path of its start page and has
// delivered n pages. It is "" if there is more than one page, or if the path is "/".
func Few(n int, start string) string {
	u, err := weburl.Parse(start)
	if n > 1 || err != nil || u.Path() == "/" {
		return ""
	}
	return "Only " + strconv.Itoa(n) + " result(s) found. To crawl beyond the path of the start URL, " +
		"set crawlEntireDomain=true or start from a higher-level path."
}

// Earlier returns a sentence for a crawl that is compared with an earlier one, which has
// delivered n pages. It is "" if the earlier crawl ended below its limit.
func Earlier(n, limit int) string {
	if n < limit {
		return ""
	}
	return "The crawl of since ended at its limit of " + strconv.Itoa(limit) + " page(s), so a page that counts as new may be one that it did not reach."
}

// Limited returns a sentence for a crawl that has delivered n pages. It is "" if the crawl
// ended below its limit, or knew no other URL that it would have visited next.
func Limited(s *frontier.Stats, n, limit int) string {
	if n < limit || s.Pending == 0 {
		return ""
	}
	return "The crawl ended at its limit of " + strconv.Itoa(limit) + " page(s): " + strconv.Itoa(s.Pending) + " known URL(s) were not visited."
}

// Compared returns a sentence for a crawl that was compared with an earlier one and has
// delivered n pages. It is "" if it ended below its limit.
func Compared(n, limit int) string {
	if n < limit {
		return ""
	}
	return "This crawl ended at its limit of " + strconv.Itoa(limit) + " page(s). Pages of the crawl of since that it did not reach are in none of the counts of changes."
}

// Ranked returns a sentence for a map that compared only the first n URLs that it found
// with the words of a search, or "" if it was not cut.
func Ranked(cut bool, n int) string {
	if !cut {
		return ""
	}
	return "Only the first " + strconv.Itoa(n) + " URLs that were found were compared with the search. A map of a part of the site may find others."
}

// More returns a sentence about a map of a site that has more URLs than the limit of n, or "".
func More(more bool, n int) string {
	if !more {
		return ""
	}
	return "The site has more URLs than the limit of " + strconv.Itoa(n) + ". A higher limit lists more of them."
}

// Start returns sentences about a map whose start page could not be read completely. The reason is a
// sentence. If it is empty, Start returns "".
func Start(reason string) string {
	if reason == "" {
		return ""
	}
	return "The start page could not be read completely, so URLs that only its links name may be missing. " + reason
}

// Robots returns sentences about the n URLs that a crawl or map left out because of
// robots.txt, or "" if n is zero. The contract requires the words robots.txt and
// /scrape endpoint.
func Robots(n int, what string) string {
	if n == 0 {
		return ""
	}
	return "This " + what + " left out " + strconv.Itoa(n) + " URL(s), because the robots.txt of their site disallows them or could not be reached. " +
		"To get a single page, scrape it (in the API: the /scrape endpoint)."
}

// RobotsCut returns a sentence about the robots.txt at url, of which only the beginning was
// read, or "" if url is empty.
func RobotsCut(url string) string {
	if url == "" {
		return ""
	}
	return "Only the first 500 KiB of " + url + " were read, so rules after them were not applied."
}
