// SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew"
	"example.com/curlew/account"
	"example.com/curlew/fetch"
	"example.com/curlew/httpapi"
	"example.com/curlew/threat"
)

// refusing is a Fetcher whose hosts refuse connections, except those it
// contains.
type refusing map[string]string

func (f refusing) Fetch(ctx context.Context, r *fetch.Request) (*fetch.Response, error) {
	if strings.HasSuffix(r.URL, "/robots.txt") && f[strings.TrimSuffix(r.URL, "robots.txt")] != "" {
		return answering(404).Fetch(ctx, r)
	}
	if _, ok := f[r.URL]; ok {
		return fakeWeb(f).Fetch(ctx, r)
	}
	return nil, &fetch.Error{URL: r.URL, Err: fmt.Errorf("%w: %w", fetch.ErrConnect, syscall.ECONNREFUSED)}
}

// TestRefusedConnections checks that hosts that refuse connections are nowhere
// reported as disallowed by robots.txt.
func TestRefusedConnections(t *testing.T) {
	const refused = "connection refused"
	synctest.Test(t, func(t *testing.T) {
		s := &curlew.Service{Fetcher: refusing{"http://up.test/": `<a href="http://down.test/x">x</a> <a href="http://down.test/y">y</a>`}}
		for _, start := range []string{"http://down.test/x", "http://up.test/"} {
			id := crawled(t, s, `{"url":"`+start+`","allowExternalLinks":true,"crawlEntireDomain":true}`)
			status := said(t, s, "GET", "/v2/crawl/"+id, "")
			if strings.Contains(status, "robots.txt") {
				t.Errorf("%s: status: %s", start, status)
			}
			if strings.Contains(start, "down") && !strings.Contains(status, refused) {
				t.Errorf("%s: the status does not say why: %s", start, status)
			}
			faults := said(t, s, "GET", "/v2/crawl/"+id+"/errors", "")
			if !strings.Contains(faults, `"code":"SCRAPE_SITE_ERROR","error":"`+refused) || strings.Contains(faults, `"details"`) || !strings.Contains(faults, `"robotsBlocked":[]`) {
				t.Errorf("%s: errors: %s", start, faults)
			}
			explained := said(t, s, "GET", "/v2/crawl/"+id+"/explain?url=http://down.test/y", "")
			if !strings.Contains(explained, `"rule":"","value":"`+refused+`"`) || !strings.Contains(explained, `"robots":"unreachable"`) {
				t.Errorf("%s: explain: %s", start, explained)
			}
		}
		if mapped := said(t, s, "POST", "/v2/map", `{"url":"http://down.test/"}`); !strings.Contains(mapped, `"code":"MAP_FAILED"`) || !strings.Contains(mapped, refused) {
			t.Errorf("map: %s", mapped)
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestRefusedAddress checks that a remote client reads the same text about the
// network policy for every address, and that the error for the operator says
// what to configure.
func TestRefusedAddress(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().String()
	listener.Close()
	client := new(fetch.Client)
	s := &curlew.Service{Fetcher: client}
	answers := map[string]bool{}
	for url, option := range map[string]string{
		"http://127.0.0.1/": "Client.Allow", "http://10.0.0.1:8080/": "Client.Allow", "http://169.254.169.254/": "Client.Allow",
		"http://192.0.2.1:22/": "Client.Ports", "http://example.com:25/": "Client.Ports", "http://x.internal/": "Client.Allow",
	} {
		answers[said(t, s, http.MethodPost, "/v2/scrape", `{"url":"`+url+`"}`)] = true
		_, err := client.Fetch(t.Context(), &fetch.Request{URL: url})
		if !errors.Is(err, fetch.ErrAddress) || !strings.Contains(err.Error(), option) {
			t.Errorf("%s: %v, want %s named", url, err, option)
		}
	}
	for answer := range answers {
		if len(answers) != 1 || !strings.Contains(answer, "blocked by network policy") || !strings.Contains(answer, "operator") {
			t.Errorf("%d different answers, one of them %s", len(answers), answer)
		}
	}
	open := &curlew.Service{Fetcher: &fetch.Client{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}}
	if answer := said(t, open, http.MethodPost, "/v2/scrape", `{"url":"http://`+closed+`/"}`); !strings.Contains(answer, "connection refused") {
		t.Errorf("a port where nobody listens: %s", answer)
	}
}

// TestCreditsAddUp crawls random sites with redirects, failures and refused
// pages, with threat protection. At every concurrency, the credits of documents
// and errors add up to those of the job.
func TestCreditsAddUp(t *testing.T) {
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			var site, all strings.Builder
			link := func() string {
				return fmt.Sprintf("http://%s/%d", []string{"a.test", "a.test", "b.test", "evil.test"}[random.IntN(4)], random.IntN(30))
			}
			for range 40 {
				fmt.Fprintf(&all, `<a href="%s">x</a> `, link())
			}
			fmt.Fprintf(&site, "-- http://a.test/ --\n<p>%s</p>\n", all.String())
			for i := range 30 {
				for _, host := range []string{"a.test", "b.test"} {
					switch random.IntN(4) {
					case 0, 1:
						fmt.Fprintf(&site, "-- http://%s/%d --\nHTTP 302\nLocation: %s\n\n", host, i, link())
					case 2:
						fmt.Fprintf(&site, "-- http://%s/%d --\nHTTP 200\nContent-Type: application/pdf\n\n%%PDF-1.4\n", host, i)
					default:
						fmt.Fprintf(&site, "-- http://%s/%d --\n<p>Page %d of %s.</p>\n", host, i, i, host)
					}
				}
			}
			policy := account.Policy{Threat: threat.Team{Enabled: true, Policy: &threat.Policy{Mode: threat.Normal}}}
			h, service := newHandler(t, site.String(), policy, httpapi.Options{})
			service.Classifier = scores{byHost: map[string]int{"a.test": 1, "b.test": 1, "evil.test": 100}}
			crawlBody := fmt.Sprintf(`{"url":"a.test","allowExternalLinks":true,"sitemap":"skip","maxConcurrency":%d,"limit":%d}`, 1+seed%8, 5+random.IntN(60))
			var urls []string
			for range 20 {
				urls = append(urls, link())
			}
			list, _ := json.Marshal(urls)
			for path, body := range map[string]string{"/v2/crawl": crawlBody, "/v2/batch/scrape": `{"urls":` + string(list) + `}`} {
				_, started := ask(t, h, "POST", path, body)
				var job struct{ ID string }
				if err := json.Unmarshal([]byte(started), &job); err != nil || job.ID == "" {
					t.Fatal(started)
				}
				time.Sleep(time.Hour)
				var status struct {
					Status      string
					CreditsUsed int
					Data        []struct{ Metadata struct{ CreditsUsed int } }
				}
				_, answer := ask(t, h, "GET", path+"/"+job.ID+"?limit=1000", "")
				if err := json.Unmarshal([]byte(answer), &status); err != nil || status.Status != "completed" {
					t.Fatal(answer)
				}
				var faults struct{ Errors []struct{ CreditsUsed int } }
				_, answer = ask(t, h, "GET", path+"/"+job.ID+"/errors", "")
				if err := json.Unmarshal([]byte(answer), &faults); err != nil {
					t.Fatal(answer)
				}
				sum := 0
				for _, d := range status.Data {
					sum += d.Metadata.CreditsUsed
				}
				for _, e := range faults.Errors {
					sum += e.CreditsUsed
				}
				if sum != status.CreditsUsed || sum < len(status.Data)+threat.ScanCredits {
					t.Errorf("seed %d, %s: %d documents and %d errors cost %d, the job %d", seed, path, len(status.Data), len(faults.Errors), sum, status.CreditsUsed)
				}
			}
			if err := service.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
