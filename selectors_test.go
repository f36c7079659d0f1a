// SPDX-License-Identifier: Apache-2.0

package curlew_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/curlew"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/fetchtest"
	"example.com/curlew/format"
)

// Selectors of a request, of a page's style sheet and of filter lists that made
// a matcher try again and again are answered in time, and leave no goroutine.
func TestSelectorsEnd(t *testing.T) {
	nested := strings.Repeat("<div>", 300) + "<p>Words</p>" + strings.Repeat("</div>", 300)
	siblings := strings.Repeat("<p>a", 20_000)
	const deep, wide = "x-y div div div div div div div div", "x ~ p ~ p ~ p ~ p"
	var site strings.Builder
	for name, page := range map[string]string{
		"deep": nested, "wide": siblings,
		"deep-style": "<style>" + deep + ", " + deep + " p{color:red}</style>" + nested,
		"wide-style": "<style>" + wide + "{color:red}x + p + p ~ p{color:blue}</style>" + siblings,
	} {
		fmt.Fprintf(&site, "-- http://a.test/%s --\n<!doctype html><title>A</title><body>%s\n", name, page)
	}
	ads, err := format.ReadAdRules(strings.NewReader("##" + deep + "\n##" + wide + "\n##p:has(~ p ~ p ~ x)\na.test##" + deep + " p\n"))
	if err != nil || ads.Rules() != 4 {
		t.Fatalf("%d rules, %v", ads.Rules(), err)
	}
	service := curlew.Service{Fetcher: fetchtest.New(t, []byte(site.String())), Ads: ads}
	before := runtime.NumGoroutine()
	selectors := []string{deep, wide, ":not(" + deep + ")", "div:has(" + deep + ")", "p:has(~ p ~ p ~ x)", "p:nth-last-child(odd) ~ p:nth-last-of-type(3n+1) ~ x", "div:contains('zzz')"}
	for _, page := range []string{"deep", "wide"} {
		for _, text := range selectors {
			s, err := format.ParseSelector(text)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range []format.Options{
				{Include: []format.Selector{s}},
				{Exclude: []format.Selector{s}},
				{Forms: []format.Form{format.Attributes}, Attributes: []format.Attribute{{Selector: text, Attribute: "id"}}},
			} {
				ends(t, &service, "http://a.test/"+page, o)
			}
		}
	}
	for _, page := range []string{"deep-style", "wide-style"} {
		ends(t, &service, "http://a.test/"+page, format.Options{Forms: []format.Form{format.BrandingForm}})
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// ends scrapes with a timeout of a second. What comes much later does not come
// at all where it is tried again and again.
func ends(t *testing.T, service *curlew.Service, url string, o format.Options) {
	t.Helper()
	begin := time.Now()
	_, err := service.Scrape(t.Context(), url, &curlew.ScrapeOptions{Timeout: time.Second, ParseOptions: curlew.ParseOptions{Format: o}})
	if err != nil && !errors.Is(err, fetch.ErrTimeout) {
		t.Errorf("%s: %v", url, err)
	}
	if took := time.Since(begin); took > 15*time.Second {
		t.Fatalf("%s took %v with include %v, exclude %v, attributes %v", url, took, o.Include, o.Exclude, o.Attributes)
	}
}
