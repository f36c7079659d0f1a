// SPDX-License-Identifier: Apache-2.0

// Curlew crawls sites, reads pages and documents, and lists the URLs of sites:
//
//	go run ./cmd/curlew crawl https://example.com/docs/
//	go run ./cmd/curlew parse report.pdf
//
// docs/command.md describes its commands, files and exit codes.
package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/curlew"
	"example.com/curlew/agent/search"
	"example.com/curlew/client"
	"example.com/curlew/cmd/curlew/internal/footprint"
	"example.com/curlew/cmd/curlew/internal/serve"
	"example.com/curlew/crawl"
	"example.com/curlew/fetch"
	"example.com/curlew/parse/subprocess"
)

// Exit codes. Codes 130 and 143 mean that a signal ended the process. The state is then
// stored, and the work can be continued.
const (
	exitBroken  = 1  // nothing was produced, or the run broke off
	exitUsage   = 2  // unknown command, flag or value
	exitInput   = 3  // an input failed, others may be written; or the answer of an agent is not complete
	exitRefused = 4  // a server or provider answered 401, 402, 403 or 429
	exitEngine  = 5  // a model or a search provider is not configured
	exitChanged = 10 // crawl --since: something has changed
)

// action runs a command with its arguments, after its flags have been set.
type action func(args []string) error

// command is one command of the program.
type command struct {
	name, args, summary string

	// define defines the flags of the command and returns what runs it.
	define func(e *env, f *flag.FlagSet) action

	// run runs a command of package serve, which reads the command line itself, because
	// its flags can also come from the environment and a file.
	run func(e *env, args []string) error
}

// commands returns the commands of the program.
func commands() []command {
	return []command{
		{"crawl", "URL", "write the pages of a site as Markdown files", crawlSite, nil},
		{"scrape", "URL...", "write pages as Markdown", scrapePages, nil},
		{"map", "URL", "list the URLs of a site without fetching them", mapSite, nil},
		{"search", "QUERY", "search the web with SearXNG or Brave", searchWeb, nil},
		{"agent", "PROMPT", "answer a question from the web, with a source for each value", askAgent, nil},
		{"parse", "FILE|FOLDER|-...", "convert documents to Markdown", parseFiles, nil},
		{"export", "FOLDER|ID", "write the pages of a crawl as one file", exportCrawl, nil},
		{"serve", "", "serve the API, with teams, keys and durable jobs", nil, serveAPI},
		{"worker", "", "fetch and read pages for servers that share a database", nil, workForServers},
		{"doctor", "", "report the state of a database that servers share", nil, inspectDatabase},
		{"mcp", "", "serve tools for language models on the standard streams", nil, serveTools},
		{"keys", "new|list|revoke", "create, list or revoke keys of a server", nil, manageKeys},
		{"health", "", "say whether a server is ready, as the health check of an image", probeHealth, nil},
		{"completion", "bash|zsh|fish", "print the completion of a shell", printCompletion, nil},
		{"man", "", "print the manual page", printManual, nil},
		{"version", "", "print the version", version, nil},
	}
}

// find returns the command with a name, or nil.
func find(name string) *command {
	all := commands()
	if i := slices.IndexFunc(all, func(c command) bool { return c.name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// synopsis returns how the command is called.
func (c *command) synopsis() string {
	return strings.TrimSpace(c.name + " [flags] " + c.args)
}

// flagsOf returns the flags of a command and what runs it.
func (e *env) flagsOf(c *command) (*flag.FlagSet, action) {
	f := flag.NewFlagSet(c.name, flag.ContinueOnError)
	f.SetOutput(io.Discard) // code prints the error
	if c.define == nil {
		serve.Define(c.name, f)
		return f, nil
	}
	e.define(f)
	return f, c.define(e, f)
}

// env is what a command works with.
type env struct {
	ctx      context.Context
	stop     context.CancelCauseFunc
	in       io.Reader
	out      *output   // results
	err      io.Writer // everything else
	terminal bool      // err is a terminal

	asJSON, quiet, private bool
	verbose, plain         bool
	agent, proxy, proxies  string
	config                 string
	server, keyFile        string          // values of --remote and --api-key-file
	given                  map[string]bool // flags of the command line
}

// fault is an error with an exit code.
type fault struct {
	code int
	err  error
}

func (f *fault) Error() string { return f.err.Error() }

func (f *fault) Unwrap() error { return f.err }

// usage returns an error of the command line.
func usage(format string, args ...any) error { return &fault{exitUsage, fmt.Errorf(format, args...)} }

// stopped is the cause of a context that a signal ended.
type stopped struct{ signal syscall.Signal }

func (s stopped) Error() string { return "stopped by " + s.signal.String() }

func main() {
	footprint.RestoreGC()
	subprocess.Main() // does not return in a process that was started to read one document
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs the program and returns its exit code.
func run(ctx context.Context, args []string, in io.Reader, out, err io.Writer) int {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals) // a second one ends the process at once
			number, _ := s.(syscall.Signal)
			stop(stopped{number})
		case <-ctx.Done():
		}
	}()
	e := &env{ctx: ctx, stop: stop, in: in, out: &output{w: out, terminal: isTerminal(out)}, err: err, terminal: isTerminal(err)}
	return e.code(e.dispatch(args))
}

func (e *env) dispatch(args []string) error {
	if len(args) == 0 {
		e.help()
		return usage("no command")
	}
	if c := find(args[0]); c != nil {
		if c.run != nil {
			return c.run(e, args[1:])
		}
		f, act := e.flagsOf(c)
		rest, err := e.parse(f, args[1:], c.synopsis())
		if err != nil {
			return err
		}
		if !slices.Contains([]string{"completion", "man", "version"}, c.name) { // these must work without settings
			if err := e.settle(f); err != nil {
				return err
			}
		}
		err = act(rest)
		return cmp.Or(err, e.out.flush())
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		e.help()
		return nil
	}
	hint := ""
	if strings.Contains(args[0], ".") {
		hint = fmt.Sprintf("; to crawl a site: curlew crawl %s", args[0])
	}
	return usage("unknown command %q%s; curlew help lists the commands", args[0], hint)
}

func (e *env) help() {
	fmt.Fprint(e.err, "usage: curlew COMMAND [flags] [arguments]\n\n")
	for _, c := range commands() {
		fmt.Fprintf(e.err, "  %-28s %s\n", strings.TrimSpace(c.name+" "+c.args), c.summary)
	}
	fmt.Fprint(e.err, "\ncurlew COMMAND -h lists the flags of a command.\n")
}

// define defines the flags that all commands have.
func (e *env) define(f *flag.FlagSet) {
	f.BoolVar(&e.asJSON, "json", false, "write results as JSON, and errors as JSON lines")
	f.BoolVar(&e.quiet, "q", false, "no progress and no summary")
	f.BoolVar(&e.verbose, "v", false, "also say what becomes of each page or file, and what the engines log")
	f.BoolVar(&e.verbose, "verbose", false, "the same as -v")
	f.BoolVar(&e.plain, "no-color", false, "no colors; the variable NO_COLOR does the same")
	f.StringVar(&e.config, "config", "", "`file` with settings; if empty, the value of CURLEW_CONFIG, or curlew/config.json in the user's folder for configurations")
}

// networkFlags defines the flags of commands that request pages.
func (e *env) networkFlags(f *flag.FlagSet) {
	f.BoolVar(&e.private, allowPrivate[2:], false, "allow loopback and private addresses")
	f.StringVar(&e.agent, "user-agent", "", "`User-Agent` of requests, whose name is looked up in robots.txt")
	f.StringVar(&e.proxy, "proxy", "", "`URL` of a proxy for all pages; if empty, the value of CURLEW_PROXY")
	f.StringVar(&e.proxies, "proxy-file", "", "`file` with a list of proxies: a URL on each line, and optionally weight=N")
}

const allowPrivate = "--allow-private"

// network returns the names of the network flags that are in effect. --proxy-file counts as
// --proxy, because a crawl can continue with other proxies.
func (e *env) network() []string {
	var names []string
	if e.private {
		names = append(names, allowPrivate)
	}
	if e.agent != "" {
		names = append(names, "--user-agent")
	}
	if e.proxy != "" || e.proxies != "" {
		names = append(names, "--proxy")
	}
	return names
}

// parse parses the flags of a command, which may also follow arguments, and returns the
// arguments.
func (e *env) parse(f *flag.FlagSet, args []string, synopsis string) ([]string, error) {
	var rest []string
	for {
		err := f.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintf(e.err, "usage: curlew %s\n\n", synopsis)
			f.SetOutput(e.err)
			f.PrintDefaults()
			return nil, err
		}
		if err != nil {
			return nil, usage("%s: %w; curlew %s -h lists the flags", f.Name(), err, f.Name())
		}
		if f.NArg() == 0 {
			return rest, nil
		}
		if used := len(args) - f.NArg(); used > 0 && args[used-1] == "--" {
			return append(rest, f.Args()...), nil
		}
		rest, args = append(rest, f.Arg(0)), f.Args()[1:]
	}
}

// fetcher fetches pages.
type fetcher interface {
	fetch.Fetcher
	CloseIdleConnections()
}

// fetcher returns what fetches pages: a client, or a pool of proxies.
func (e *env) fetcher() (fetcher, error) {
	c := e.client()
	if err := serve.CheckOutgoing(c.UserAgent, c.Proxy); err != nil {
		return nil, usage("-%w", err)
	}
	if e.proxies == "" {
		return c, nil
	}
	if c.Proxy != "" {
		return nil, usage("--proxy-file and --proxy exclude each other")
	}
	list, err := serve.Proxies(e.proxies)
	if err != nil {
		return nil, usage("--proxy-file: %w", err)
	}
	return fetch.NewPool(c, list, slog.New(slog.NewTextHandler(e.err, nil))), nil
}

// client returns the client for pages.
func (e *env) client() *fetch.Client {
	c := &fetch.Client{UserAgent: e.agent, Proxy: e.proxy}
	if e.private {
		c.Allow = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
		c.Ports = []int{-1}
	}
	return c
}

// code prints err and returns the exit code.
func (e *env) code(err error) int {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	code := exitBroken
	if f, ok := errors.AsType[*fault](err); ok {
		code = f.code
	} else if errors.Is(err, serve.ErrUsage) || errors.Is(err, curlew.ErrRequest) || errors.Is(err, crawl.ErrConfig) {
		code = exitUsage
	} else if answer, ok := errors.AsType[*client.Error](err); ok {
		code = cmp.Or(refused(answer.Status), code)
	} else if answer, ok := errors.AsType[*search.StatusError](err); ok {
		code = cmp.Or(refused(answer.Status), code)
	}
	if s, ok := errors.AsType[stopped](context.Cause(e.ctx)); ok {
		code = 128 + int(s.signal)
	}
	if err.Error() != "" {
		e.report("", err)
	}
	return code
}

// report prints an error, and the URL or file that it is about.
func (e *env) report(about string, err error) {
	text := clean(err.Error() + cause(err))
	if errors.Is(err, fetch.ErrAddress) {
		text += "; --allow-private opens all addresses"
	}
	if !e.asJSON {
		if about != "" {
			text = clean(about) + ": " + text
		}
		fmt.Fprintln(e.err, e.paint(red, "curlew:"), text)
		return
	}
	code, _ := curlew.Fault(err)
	if code == "UNKNOWN_ERROR" {
		code = ""
	}
	if answer, ok := errors.AsType[*client.Error](err); ok {
		code = answer.Code
	}
	line, _ := json.Marshal(map[string]any{"error": failed{code, text, about}}) // strings always encode
	fmt.Fprintf(e.err, "%s\n", line)
}

// cause says why a connection failed, as the end of a sentence. It is empty if the text of
// the error says so already, or if the cause is not known.
func cause(err error) string {
	switch {
	case errors.Is(err, fetch.ErrTLS):
		return causeOfTLS(err)
	case !errors.Is(err, fetch.ErrConnect):
		return ""
	case errors.Is(err, syscall.ECONNREFUSED):
		return ": nothing listens at this port of the host"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return ": there is no route to the host"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ": the server closed the connection"
	}
	return ""
}

// causeOfTLS says why a handshake of TLS failed, in the same way.
func causeOfTLS(err error) string {
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return ": the server does not speak TLS at this port; if it serves plain HTTP there, write http:// before the host"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return ": the certificate is that of another host"
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return ": the certificate is signed by an authority that this machine does not know"
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		return ": the certificate has expired, or is not valid yet"
	}
	return ""
}

// failed is an error as JSON.
type failed struct {
	Code    string `json:"code,omitempty"`
	Message string `json:"message"`
	URL     string `json:"url,omitempty"` // or the name of a file
}

// Colors of a terminal.
const (
	red    = 31
	yellow = 33
)

// paint returns a text in a color, if the standard error shows colors.
func (e *env) paint(color int, text string) string {
	if !e.terminal || e.plain || os.Getenv("NO_COLOR") != "" {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", color, text)
}

// warn prints a warning about a URL or file, which may be empty.
func (e *env) warn(about, warning string) {
	if about != "" {
		about = clean(about) + ": "
	}
	e.say("%s%s %s", about, e.paint(yellow, "warning:"), clean(warning))
}

// detail prints a sentence for people who ask for all of them.
func (e *env) detail(format string, args ...any) {
	if !e.verbose || e.asJSON {
		return
	}
	if e.terminal {
		format = "\r\x1b[K" + format // over the line of progress
	}
	fmt.Fprintf(e.err, format+"\n", args...)
}

// logger returns where the engines log, or nil.
func (e *env) logger() *slog.Logger {
	if !e.verbose || e.asJSON {
		return nil
	}
	return slog.New(slog.NewTextHandler(e.err, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// say prints a sentence for people.
func (e *env) say(format string, args ...any) {
	if !e.quiet && !e.asJSON {
		fmt.Fprintf(e.err, format+"\n", args...)
	}
}

// clean removes what could control a terminal, or change the order of its text, from a
// text of a site.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case controls(r):
			return -1
		}
		return r
	}, s)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// version is the command version.
func version(e *env, _ *flag.FlagSet) action {
	return func(rest []string) error {
		if len(rest) > 0 {
			return usageOf(rest)
		}
		text := built()
		if e.asJSON {
			return json.NewEncoder(e.out).Encode(map[string]string{"version": text})
		}
		_, err := fmt.Fprintln(e.out, "curlew", text)
		return err
	}
}

// built returns the version that the program was built from.
func built() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	parts := []string{serve.Version()}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			parts = append(parts, s.Value)
		}
	}
	return strings.Join(append(parts, info.GoVersion), " ")
}

// serveAPI is the command serve. A signal ends it with exit code 0, because that is how a
// server is meant to end.
func serveAPI(e *env, args []string) error {
	e.asJSON = slices.Contains(args, "--json") || slices.Contains(args, "-json")
	return serve.Run(e.ctx, args, os.Getenv, e.out.w, e.err)
}

// workForServers is the command worker. A signal ends it with exit code 0.
func workForServers(e *env, args []string) error {
	e.asJSON = slices.Contains(args, "--json") || slices.Contains(args, "-json")
	return serve.Work(e.ctx, args, os.Getenv, e.out.w, e.err)
}

// inspectDatabase is the command doctor.
func inspectDatabase(e *env, args []string) error {
	e.asJSON = slices.Contains(args, "--json") || slices.Contains(args, "-json")
	return serve.Doctor(e.ctx, args, os.Getenv, e.out.w, e.err)
}

// serveTools is the command mcp.
func serveTools(e *env, args []string) error {
	return serve.MCP(e.ctx, args, os.Getenv, &mcp.StdioTransport{}, e.err)
}

// manageKeys is the command keys.
func manageKeys(e *env, args []string) error {
	return serve.Keys(e.ctx, args, os.Getenv, e.out.w, e.err)
}

// usageOf returns an error that names the first unexpected argument, or nil if there is none.
func usageOf(rest []string) error {
	if len(rest) == 0 {
		return nil
	}
	return usage("unexpected argument %q", rest[0])
}
