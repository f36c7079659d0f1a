// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
)

// secrets are the variables of the environment that hold keys. Each of them may be replaced
// by one with the suffix _FILE, which names a file.
var secrets = []string{"CURLEW_API_KEY", "CURLEW_MODEL_KEY", "CURLEW_BRAVE_KEY", "CURLEW_WEBRISK_KEY"}

// withFiles returns a getenv that has the contents of the files that variables with _FILE
// name.
func withFiles(getenv func(string) string) (func(string) string, error) {
	read := map[string]string{}
	for _, name := range secrets {
		path := getenv(name + "_FILE")
		if path == "" {
			continue
		}
		text, err := os.ReadFile(path) // #nosec G304 G703 -- the operator's own file
		if err != nil {
			return nil, fmt.Errorf("%s_FILE: %w", name, err)
		}
		read[name] = strings.TrimSpace(string(text))
	}
	return func(name string) string {
		if text, ok := read[name]; ok {
			return text
		}
		return getenv(name)
	}, nil
}

// CheckURL checks the URL of a service that the operator names. The error does not contain it,
// because it may have a password.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return errURL
	}
	return nil
}

var errURL = errors.New("it is not an http or https URL, such as http://127.0.0.1:8080")

// variables are the names of flags in the environment that do not follow from the flag.
// The other commands of the program use the same ones.
var variables = map[string]string{"searxng": "CURLEW_SEARXNG_URL", "model-mini": "CURLEW_MODEL", "api-key": ""}

// variable returns the name of a flag in the environment, or "" if it has none.
func variable(name string) string {
	if v, ok := variables[name]; ok {
		return v
	}
	return "CURLEW_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// Variable returns the name of a flag in the environment.
func Variable(name string) string { return variable(name) }

// Common are the flags of the commands that do not serve which the environment and a file of
// settings can set.
var Common = []string{"user-agent", "proxy", "proxy-file", "allow-private", "remote", "api-key-file", "no-color"}

// Settings returns the settings in a file for -config, as text by the names of their flags.
// The same file may configure servers. A name that no command knows is an error.
func Settings(file string) (map[string]string, error) {
	c, err := readConfig(file)
	if err != nil {
		return nil, err
	}
	server := newFlags("serve")
	serverFlags(server)
	found := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(c.Settings)) {
		if !slices.Contains(Common, name) && (server.Lookup(name) == nil || !settable(name)) {
			return nil, fmt.Errorf("%s: settings.%s: %w", file, name, errNoSetting)
		}
		if found[name], err = c.text(name); err != nil {
			return nil, fmt.Errorf("%s: settings.%s: %w", file, name, err)
		}
	}
	return found, nil
}

var errNoSetting = errors.New("there is no such setting")

// settable reports whether a file of settings may have the value of a flag.
func settable(name string) bool { return name != "config" && name != "api-key" }

// text returns the value of a setting as text.
func (c config) text(name string) (string, error) {
	var value any
	if err := json.Unmarshal(c.Settings[name], &value); err != nil {
		return "", err
	}
	switch value := value.(type) {
	case string:
		return value, nil
	case bool, float64:
		return string(c.Settings[name]), nil
	default:
		return "", errors.New("the value must be a string, a number or a boolean")
	}
}

// settle sets the flags from args. A flag that is not in args gets its value from the
// environment, or else from the settings in the file that -config names.
func settle(flags *flag.FlagSet, args []string, getenv func(string) string, help io.Writer, synopsis string) error {
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprintf(help, "usage: curlew %s\n\n", synopsis)
			flags.SetOutput(help)
			flags.PrintDefaults()
			return err
		}
		return usage{fmt.Errorf("%w; curlew %s -h lists the flags", err, flags.Name())}
	}
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	var faults []error
	flags.VisitAll(func(f *flag.Flag) {
		name := variable(f.Name)
		if given[f.Name] || name == "" {
			return
		}
		if value := getenv(name); value != "" {
			given[f.Name] = true
			if err := flags.Set(f.Name, value); err != nil {
				faults = append(faults, fmt.Errorf("%s: invalid value %q: %w", name, value, err))
			}
		}
	})
	if f := flags.Lookup("config"); f != nil && f.Value.String() != "" {
		c, err := readConfig(f.Value.String())
		if err != nil {
			return usage{err}
		}
		for _, name := range slices.Sorted(maps.Keys(c.Settings)) {
			if err := c.set(flags, name, given); err != nil {
				faults = append(faults, fmt.Errorf("%s: settings.%s: %w", f.Value, name, err))
			}
		}
	}
	if err := errors.Join(faults...); err != nil {
		return usage{err}
	}
	return nil
}

// set gives the flag name the value that the file has for it, unless it has one already.
func (c config) set(flags *flag.FlagSet, name string, given map[string]bool) error {
	server := newFlags("serve")
	serverFlags(server)
	switch {
	case !settable(name), flags.Lookup(name) == nil && server.Lookup(name) == nil && !slices.Contains(Common, name):
		return errNoSetting
	case flags.Lookup(name) == nil:
		return nil // all commands have the same file
	}
	text, err := c.text(name)
	if err != nil || given[name] {
		return err
	}
	if err := flags.Set(name, text); err != nil {
		return fmt.Errorf("invalid value %q: %w", text, err)
	}
	return nil
}
