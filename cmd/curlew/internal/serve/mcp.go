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
	"net/http"
	"net/url"
	"regexp"
	"runtime/debug"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/curlew/account"
	"example.com/curlew/client"
	"example.com/curlew/httpapi"
	"example.com/curlew/mcp"
)

// release is the version of a release. deploy/release sets it.
var release string

// Version returns the version of the program: that of the release, or else what the build
// has recorded.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return cmp.Or(release, info.Main.Version)
	}
	return cmp.Or(release, "unknown")
}

// CheckRemote checks the URL of a server.
func CheckRemote(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return usage{fmt.Errorf("--remote is the URL of a server, such as http://127.0.0.1:3002, not %q", address)}
	}
	return nil
}

// local returns a function that makes clients of a handler in this process.
func local(h http.Handler) func(key string) *client.Client {
	way := mcp.Local(h)
	return func(key string) *client.Client {
		return &client.Client{BaseURL: "http://127.0.0.1", Key: key, HTTP: way}
	}
}

// toolFlags defines the flags of the command mcp.
func toolFlags(flags *flag.FlagSet) (p parts, remote, prefix *string) {
	return partFlags(flags), flags.String("remote", "", "use the API at this `URL` instead of engines in this process; the key is in CURLEW_API_KEY or FIRECRAWL_API_KEY"), prefixFlag(flags)
}

// prefixFlag defines the flag for the names of tools.
func prefixFlag(flags *flag.FlagSet) *string {
	return flags.String("tool-prefix", "", "`text` that replaces firecrawl_ and curlew_ at the start of the names of tools of MCP")
}

// prefixes matches the texts that names of tools may begin with.
var prefixes = regexp.MustCompile(`^[A-Za-z0-9_.-]{0,40}$`)

// checkPrefix checks the flag for the names of tools.
func checkPrefix(prefix string) error {
	if !prefixes.MatchString(prefix) {
		return usage{fmt.Errorf("-tool-prefix %q: only up to 40 letters, digits, _, - and . are allowed", prefix)}
	}
	return nil
}

// MCP serves the tools for language models over a transport, which is usually the
// standard streams, until the client leaves or ctx ends. The engines run in this process,
// unless -remote names a server.
func MCP(ctx context.Context, args []string, getenv func(string) string, over sdk.Transport, logs io.Writer) (err error) {
	flags := newFlags("mcp")
	parts, remote, prefix := toolFlags(flags)
	if err := settle(flags, args, getenv, logs, "mcp [flags]"); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return usage{fmt.Errorf("unexpected argument %q", flags.Arg(0))}
	}
	if err := checkPrefix(*prefix); err != nil {
		return err
	}
	getenv, err = withFiles(getenv)
	if err != nil {
		return usage{err}
	}
	options := &mcp.Options{Version: Version(), Files: true, Prefix: *prefix}
	if *remote != "" {
		if err := CheckRemote(*remote); err != nil {
			return err
		}
		key := cmp.Or(getenv("CURLEW_API_KEY"), getenv("FIRECRAWL_API_KEY"))
		return ended(ctx, mcp.NewServer(&client.Client{BaseURL: *remote, Key: key}, options).Run(ctx, over))
	}
	logger := slog.New(slog.NewTextHandler(logs, &slog.HandlerOptions{Level: slog.LevelWarn}))
	service, _, end, err := parts.open(ctx, nil, getenv, logger)
	defer func() { err = errors.Join(err, end()) }()
	if err != nil {
		return err
	}
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopIn)
		defer cancel()
		err = errors.Join(err, service.Shutdown(ending))
	}()
	user := account.Team{ID: "default", Policy: account.Policy{MaxConcurrency: 64}}
	handler, err := httpapi.NewHandler(service, &httpapi.Options{
		Authenticator: func(*http.Request, string) (account.Team, error) { return user, nil }, Logger: logger,
	})
	if err != nil {
		return err
	}
	if err := service.Resume(ctx); err != nil {
		logger.ErrorContext(ctx, "not all jobs go on", "err", err)
	}
	return ended(ctx, mcp.NewServer(local(handler)(""), options).Run(ctx, over))
}

// ended returns the error of a server, or nil if the server has ended because ctx ended.
func ended(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return nil
}
