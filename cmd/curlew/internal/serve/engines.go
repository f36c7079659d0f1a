// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"os/exec"
	"strings"

	"example.com/curlew"
	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/fetch/chrome"
	"example.com/curlew/format"
	"example.com/curlew/parse/ocr/poppler"
	"example.com/curlew/parse/ocr/tesseract"
	"example.com/curlew/parse/subprocess"
)

// engines contains the flags for fetching and reading.
type engines struct {
	private, ocr, isolate *bool
	bare, scripts         *bool
	ads, proxy, userAgent *string
	proxies, chrome       *string
	address               *string
	endless               *int
}

func engineFlags(flags *flag.FlagSet) engines {
	return engines{
		private:   flags.Bool("allow-private", false, "allow requests to loopback and private addresses"),
		ads:       flags.String("ads", "", "filter lists for blockAds: `files` in EasyList syntax, separated by commas"),
		proxy:     flags.String("proxy", "", "`URL` of a proxy for all pages, such as http://user:password@proxy:3128 or socks5://proxy; the server still resolves names and checks addresses itself"),
		proxies:   flags.String("proxy-file", "", "`file` with a list of proxies: a URL, or the word direct, on each line, and optionally weight=N and teams=A,B"),
		ocr:       flags.Bool("ocr", false, "read scans and images with the program tesseract; pdftoppm renders pages if it is installed"),
		isolate:   flags.Bool("isolate", false, "read each document in a process of its own with limits of memory and CPU time (Linux, macOS), so that a document that takes too much, or crashes its reader, fails alone"),
		chrome:    flags.String("chrome", "", "`path` or name of a Chromium or Chrome, such as chromium, or the URL of one that runs already, such as ws://host:9222/, which shows pages that need scripts, takes screenshots and does actions; several, separated by commas, share the pages; if empty, there is no browser"),
		address:   flags.String("chrome-address", "", "`IP` address of this machine at which a browser at a URL reaches the proxy of its pages; if empty, 127.0.0.1"),
		bare:      flags.Bool("chrome-no-sandbox", false, "start the browser without its sandbox, where the kernel or the container forbids user namespaces or the user is root"),
		scripts:   flags.Bool("chrome-scripts", false, "allow the action executeJavascript to teams whose policy allows it"),
		endless:   flags.Int("endless-pages", 0, "maximum `number` of pages from endless spaces, such as calendars, which a crawl delivers last; 0 means 1,000 or as many as other pages, -1 means no limit"),
		userAgent: flags.String("user-agent", "", "`User-Agent` of requests, whose name is looked up in robots.txt, such as \"wader/1.0 (+https://example.com/wader)\"; if empty, curlew's"),
	}
}

// set configures the engines of the service and its client.
func (o engines) set(s *curlew.Service, client *fetch.Client) error {
	if *o.endless < crawl.Unlimited {
		return fmt.Errorf("-endless-pages %d is below -1", *o.endless)
	}
	if err := CheckOutgoing(*o.userAgent, *o.proxy); err != nil {
		return err
	}
	client.Proxy, client.UserAgent, s.UserAgent = *o.proxy, *o.userAgent, *o.userAgent
	s.Traps.Suspects = *o.endless
	if *o.ocr {
		s.Parser.OCR = new(tesseract.Engine)
		if _, err := exec.LookPath("pdftoppm"); err == nil {
			s.Parser.Render = new(poppler.Renderer)
		}
	}
	if *o.isolate {
		s.Parser.Isolate = new(subprocess.Runner)
	}
	if *o.private {
		client.Allow, client.Ports = everyPrivate(), []int{-1}
		s.Webhooks.Allow, s.Webhooks.Ports = client.Allow, client.Ports
		s.LocalNames = true
	}
	if *o.ads == "" {
		return nil
	}
	var err error
	if s.Format.Ads, err = readAds(strings.Split(*o.ads, ",")); err != nil {
		return fmt.Errorf("-ads: %w", err)
	}
	return nil
}

// browse starts the browser of the service, if one is configured. The service closes it at
// shutdown. The function that browse returns closes it if the service was never shut down.
func (o engines) browse(ctx context.Context, s *curlew.Service, client *fetch.Client) (stop func() error, err error) {
	if *o.chrome == "" {
		if *o.address != "" || *o.bare || *o.scripts {
			return nil, errors.New("-chrome-address, -chrome-no-sandbox and -chrome-scripts need -chrome")
		}
		return func() error { return nil }, nil
	}
	options := chrome.Options{Allow: client.Allow, Ports: client.Ports, Proxy: client.Proxy, Script: *o.scripts, NoSandbox: *o.bare}
	if *o.address != "" {
		if options.Address, err = netip.ParseAddr(*o.address); err != nil {
			return nil, fmt.Errorf("-chrome-address: %w", err)
		}
	}
	var all []*chrome.Browser
	for name := range strings.SplitSeq(*o.chrome, ",") {
		own := options
		if name = strings.TrimSpace(name); strings.Contains(name, "://") {
			own.URL = name
		} else {
			own.Path = name
		}
		b, err := chrome.Start(ctx, &own)
		if err != nil {
			err = fmt.Errorf("-chrome: %w", err)
			for _, b := range all {
				err = errors.Join(err, b.Close(context.WithoutCancel(ctx)))
			}
			return nil, err
		}
		all = append(all, b)
	}
	pool := chrome.NewPool(all[0], all[1:]...)
	s.Renderer = pool
	return func() error { return pool.Close(context.WithoutCancel(ctx)) }, nil
}

// pool replaces the client of the service by a pool of proxies, if there is a list of them.
// The client must be configured.
func (o engines) pool(s *curlew.Service, client *fetch.Client, logger *slog.Logger) error {
	switch {
	case *o.proxies == "":
		return nil
	case client.Proxy != "":
		return errors.New("-proxy-file and -proxy exclude each other")
	case *o.chrome != "":
		return errors.New("-proxy-file and -chrome exclude each other, because a browser uses one proxy for all pages: choose one with -proxy")
	}
	list, err := Proxies(*o.proxies)
	if err != nil {
		return fmt.Errorf("-proxy-file: %w", err)
	}
	s.Fetcher = fetch.NewPool(client, list, logger)
	return nil
}

// CheckOutgoing checks the values of -user-agent and -proxy, which may be empty. An error
// begins with the name of the flag, and does not contain the URL, which may have a password.
func CheckOutgoing(userAgent, proxy string) error {
	if strings.ContainsFunc(userAgent, func(r rune) bool { return r < ' ' || r > '~' }) {
		return fmt.Errorf("-user-agent %q: only visible ASCII characters and spaces can be sent", userAgent)
	}
	if proxy == "" {
		return nil
	}
	list, err := fetch.ReadProxies(strings.NewReader(proxy))
	if err != nil {
		return fmt.Errorf("-proxy: %w", cmp.Or(errors.Unwrap(err), err)) // without the number of the line
	}
	if len(list) != 1 || list[0].URL != proxy {
		return errors.New("-proxy is one URL, such as http://proxy:3128 or socks5://proxy; -proxy-file names a list")
	}
	return nil
}

// Proxies reads a file with a list of proxies.
func Proxies(name string) ([]fetch.Proxy, error) {
	file, err := os.Open(name) // #nosec G304 -- the operator's own file
	if err != nil {
		return nil, err
	}
	defer file.Close() // only read from
	return fetch.ReadProxies(file)
}

// readAds reads filter lists.
func readAds(names []string) (*format.AdRules, error) {
	var lists []io.Reader
	for _, name := range names {
		file, err := os.Open(name) // #nosec G304 -- the operator's own file
		if err != nil {
			return nil, err
		}
		defer file.Close() // only read from
		lists = append(lists, file)
	}
	return format.ReadAdRules(lists...)
}
