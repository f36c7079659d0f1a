// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"example.com/curlew/cmd/curlew/internal/serve"
)

// rivals are flags that exclude each other: if one is set, the other one is not looked up.
var rivals = map[string]string{"proxy": "proxy-file", "proxy-file": "proxy"}

// settle sets the flags of serve.Common that are not on the command line from the
// environment, or else from the file of settings.
func (e *env) settle(f *flag.FlagSet) error {
	e.given = map[string]bool{}
	f.Visit(func(g *flag.Flag) { e.given[g.Name] = true })
	if e.verbose && e.quiet {
		return usage("-q and -v exclude each other")
	}
	if e.config == "" {
		e.config = os.Getenv("CURLEW_CONFIG")
	}
	settings, err := e.settings()
	if err != nil {
		return usage("--config: %w", err)
	}
	set := maps.Clone(e.given)
	for _, source := range []func(name string) string{
		func(name string) string { return os.Getenv(serve.Variable(name)) },
		func(name string) string { return settings[name] },
	} {
		var now []string
		for _, name := range serve.Common {
			value := source(name)
			if value == "" || set[name] || set[rivals[name]] || f.Lookup(name) == nil {
				continue
			}
			if err := f.Set(name, value); err != nil {
				return usage("the setting %s: invalid value %q: %w", name, value, err)
			}
			now = append(now, name)
		}
		for _, name := range now {
			set[name] = true
		}
	}
	return nil
}

// settings returns the settings in the file of --config, or in the user's own file.
func (e *env) settings() (map[string]string, error) {
	if e.config != "" {
		return serve.Settings(e.config)
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return nil, nil //nolint:nilerr // without a home there is no such file
	}
	own := filepath.Join(dir, "curlew", "config.json")
	found, err := serve.Settings(own)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return found, err
}
