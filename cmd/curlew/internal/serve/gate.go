// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
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
	g.keysFile = flags.String("keys", "", "`file` of hashed keys; if empty, they are in the database of -store, or else in keys.json in the directory of -data")
	flags.Func("api-key", "a `key` of the team \"default\", which has no limits; may be repeated. The process list shows it: use CURLEW_API_KEY, or CURLEW_API_KEY_FILE, where others can read that", func(key string) error {
		g.keys = append(g.keys, key)
		return nil
	})
	return g
}

// access reads the teams, and the keys of the config, the command line and the environment.
// If there is no key at all and none can be stored, it creates one. data and store are the
// values of these flags.
func (g *gate) access(data, store string, getenv func(string) string) (access, error) {
	keys := g.keys
	if from := getenv("CURLEW_API_KEY"); from != "" {
		keys = append(keys, strings.Split(from, ",")...)
	}
	conf, err := readConfig(*g.config)
	if err != nil {
		return access{}, err
	}
	return conf.access(keys, store != "" || g.file(data) != "")
}

// hashed returns the stored keys: those in the file of -keys, in the database, or in the
// directory of -data. The keys of that directory are copied into the database, if there is
// one. If there is no key at all, hashed creates one.
func (g *gate) hashed(ctx context.Context, a *access, data string, common importer, logger *slog.Logger) (*account.Keys, error) {
	file := g.file(data)
	var hashed *account.Keys
	switch {
	case common != nil && *g.keysFile == "":
		hashed = &account.Keys{Store: common}
		if file == "" {
			break
		}
		former, err := account.OpenKeys(file)
		if err != nil {
			return nil, usage{err}
		}
		list, err := former.List(ctx, "")
		if err != nil || len(list) == 0 {
			return hashed, err
		}
		n, err := common.Import(ctx, list)
		if err != nil {
			return nil, err
		}
		logger.InfoContext(ctx, "the keys of the file are in the database, too; from now on change them there", "file", file, "keys", len(list), "added", n)
	case file == "":
		return new(account.Keys), nil
	default:
		if *g.keysFile == "" { // the directory of -data is created at the first start
			if err := os.MkdirAll(data, 0o700); err != nil {
				return nil, err
			}
		}
		var err error
		if hashed, err = account.OpenKeys(file); err != nil {
			return nil, usage{fmt.Errorf("-keys: %w", err)}
		}
	}
	if len(a.teams) > 1 || len(a.keys) > 0 { // there are other teams than "default"
		return hashed, nil
	}
	list, err := hashed.List(ctx, "default")
	if err != nil || len(list) > 0 {
		return hashed, err
	}
	a.made, _, err = hashed.Create(ctx, "default", "created at the first start", 0)
	if err != nil && *g.keysFile != "" {
		err = fmt.Errorf("-keys: %w", err)
	}
	return hashed, err
}

// file returns the path of the file of keys, or "" if there is none.
func (g *gate) file(data string) string {
	if *g.keysFile == "" && data != "" {
		return filepath.Join(data, "keys.json")
	}
	return *g.keysFile
}

// keyOptions contains the flags of the command keys.
type keyOptions struct {
	gate       *gate
	data, name *string
	store      *string
	life       *time.Duration
	asJSON     *bool
}

func keyFlags(flags *flag.FlagSet) keyOptions {
	return keyOptions{
		gate:   gateFlags(flags),
		data:   flags.String("data", "", "`directory` of the server; its file of keys is keys.json"),
		store:  flags.String("store", "", "`URL` of the PostgreSQL database of the servers, whose keys are there"),
		name:   flags.String("name", "", "`name` of a new key, for people"),
		life:   flags.Duration("expires", 0, "a new key expires after this `time`, such as 720h; 0 means never"),
		asJSON: flags.Bool("json", false, "write JSON lines"),
	}
}

// open returns the keys, where they are stored, and the function that closes them.
func (o *keyOptions) open(ctx context.Context) (keys *account.Keys, place string, end func() error, err error) {
	if *o.store == "" || *o.gate.keysFile != "" {
		file := o.gate.file(*o.data)
		keys, err := account.OpenKeys(file)
		return keys, file, func() error { return nil }, err
	}
	kind, err := databaseOf(*o.store)
	if err != nil {
		return nil, "", nil, usage{err}
	}
	stored, end, err := kind.keys(ctx, *o.store)
	if err != nil {
		return nil, "", nil, fmt.Errorf("-store: %w", err)
	}
	return &account.Keys{Store: stored}, "the database", end, nil
}

// Keys creates, lists and revokes keys in the database or in the file of keys of servers,
// which may be running.
func Keys(ctx context.Context, args []string, getenv func(string) string, out, help io.Writer) (err error) {
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
	switch {
	case !slices.Contains([]string{"new", "list", "revoke"}, verb):
		return usage{fmt.Errorf("keys needs new, list or revoke, not %q", verb)}
	case *o.store == "" && o.gate.file(*o.data) == "":
		return usage{errors.New("keys needs --store with the database of the servers, --data with the directory of the server, or --keys with the file")}
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
	hashed, place, end, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
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
		keys, err := hashed.List(ctx, team)
		if err != nil {
			return err
		}
		if len(keys) == 0 && !*o.asJSON {
			fmt.Fprintf(help, "there are no keys in %s\n", place)
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
