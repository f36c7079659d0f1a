// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"example.com/curlew/account"
)

// gate contains the flags for teams and keys.
type gate struct {
	config, keysFile *string
	keys             []string // keys from the command line
}

func gateFlags(flags *flag.FlagSet) *gate {
	g := new(gate)
	g.config = flags.String("config", "", "JSON `file` with teams, their keys and limits, and with settings")
	g.keysFile = flags.String("keys", "", "`file` of hashed keys; if empty, keys.json in the directory of -data")
	flags.Func("api-key", "a `key` of the team \"default\", which has no limits; may be repeated. The process list shows it: use CURLEW_API_KEY, or CURLEW_API_KEY_FILE, where others can read that", func(key string) error {
		g.keys = append(g.keys, key)
		return nil
	})
	return g
}

// access reads the teams and the file of keys. If there is no key at all, it creates one,
// which is stored if there is a file of keys.
func (g *gate) access(ctx context.Context, data string, getenv func(string) string) (access, *account.Keys, error) {
	keys := g.keys
	if from := getenv("CURLEW_API_KEY"); from != "" {
		keys = append(keys, strings.Split(from, ",")...)
	}
	conf, err := readConfig(*g.config)
	if err != nil {
		return access{}, nil, err
	}
	file := g.file(data)
	a, err := conf.access(keys, file != "")
	if err != nil || file == "" {
		return a, new(account.Keys), err
	}
	if *g.keysFile == "" { // the directory of -data is created at the first start
		if err := os.MkdirAll(data, 0o700); err != nil {
			return a, nil, err
		}
	}
	hashed, err := account.OpenKeys(file)
	if err != nil {
		return a, nil, err
	}
	if len(conf.Teams) > 0 || len(a.keys) > 0 || slices.ContainsFunc(a.ids(), func(team string) bool { return len(hashed.List(team)) > 0 }) {
		return a, hashed, nil
	}
	a.made, _, err = hashed.Create(ctx, "default", "created at the first start", 0)
	return a, hashed, err
}

// file returns the path of the file of keys, or "" if there is none.
func (g *gate) file(data string) string {
	if *g.keysFile == "" && data != "" {
		return filepath.Join(data, "keys.json")
	}
	return *g.keysFile
}

// ids returns the ids of all teams in order.
func (a *access) ids() []string {
	var ids []string
	for id := range a.teams {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// keyOptions contains the flags of the command keys.
type keyOptions struct {
	gate       *gate
	data, name *string
	life       *time.Duration
	asJSON     *bool
}

func keyFlags(flags *flag.FlagSet) keyOptions {
	return keyOptions{
		gate:   gateFlags(flags),
		data:   flags.String("data", "", "`directory` of the server; its file of keys is keys.json"),
		name:   flags.String("name", "", "`name` of a new key, for people"),
		life:   flags.Duration("expires", 0, "a new key expires after this `time`, such as 720h; 0 means never"),
		asJSON: flags.Bool("json", false, "write JSON lines"),
	}
}

// Keys creates, lists and revokes keys in the file of keys of a server, which may be
// running.
func Keys(ctx context.Context, args []string, getenv func(string) string, out, help io.Writer) error {
	const synopsis = "keys new [flags] [TEAM]\n       curlew keys list [flags] [TEAM]\n       curlew keys revoke [flags] ID"
	flags := newFlags("keys")
	o := keyFlags(flags)
	verb := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		verb, args = args[0], args[1:]
	}
	if err := settle(flags, args, getenv, help, synopsis); err != nil {
		return err
	}
	file := o.gate.file(*o.data)
	switch {
	case !slices.Contains([]string{"new", "list", "revoke"}, verb):
		return usage{fmt.Errorf("keys needs new, list or revoke, not %q", verb)}
	case file == "":
		return usage{errors.New("keys needs --data with the directory of the server, or --keys with the file")}
	case flags.NArg() > 1:
		return usage{fmt.Errorf("unexpected argument %q", flags.Arg(1))}
	case *o.life < 0:
		return usage{errors.New("--expires is a time from now, not before")}
	}
	conf, err := readConfig(*o.gate.config)
	if err != nil {
		return usage{err}
	}
	a, err := conf.access(nil, true)
	if err != nil {
		return usage{err}
	}
	hashed, err := account.OpenKeys(file)
	if err != nil {
		return err
	}
	p := keyPrinter{out, *o.asJSON}
	switch team := flags.Arg(0); verb {
	case "new":
		if team == "" {
			team = "default"
		}
		if _, ok := a.teams[team]; !ok {
			return usage{fmt.Errorf("there is no team %q; -config names the file of the teams", team)}
		}
		text, key, err := hashed.Create(ctx, team, *o.name, *o.life)
		if err != nil {
			return err
		}
		return p.created(text, &key)
	case "list":
		keys := hashed.List(team)
		if len(keys) == 0 && !*o.asJSON {
			fmt.Fprintf(help, "there are no keys in %s\n", file)
		}
		return p.list(keys)
	default:
		if team == "" {
			return usage{errors.New("keys revoke needs the id of a key; curlew keys list prints it")}
		}
		return hashed.Revoke(ctx, team)
	}
}

// keyPrinter prints keys for people or as JSON.
type keyPrinter struct {
	out    io.Writer
	asJSON bool
}

// created prints a new key, which cannot be printed again.
func (p keyPrinter) created(text string, key *account.Key) error {
	if p.asJSON {
		return json.NewEncoder(p.out).Encode(map[string]any{"key": text, "id": key.ID, "team": key.Team})
	}
	_, err := fmt.Fprintf(p.out, "key %s\nid %s\n", text, key.ID)
	return err
}

// list prints what is known of keys.
func (p keyPrinter) list(keys []account.Key) error {
	if p.asJSON {
		for _, k := range keys {
			k.Hash = ""
			if err := json.NewEncoder(p.out).Encode(k); err != nil {
				return err
			}
		}
		return nil
	}
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	for _, k := range keys {
		state := "valid"
		switch {
		case !k.Revoked.IsZero():
			state = "revoked " + k.Revoked.Format(time.DateOnly)
		case !k.Expires.IsZero():
			state = "until " + k.Expires.Format(time.DateOnly)
		}
		fmt.Fprintf(w, "%s\t%s\t...%s\t%s\t%s\t%s\n", k.ID, k.Team, k.Last4, k.Created.Format(time.DateOnly), state, k.Name)
	}
	return w.Flush()
}
