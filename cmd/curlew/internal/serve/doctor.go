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
	"strings"
	"time"

	"example.com/curlew/job/postgres"
)

// inspectIn is how long the database may take to answer.
const inspectIn = time.Minute

// doctor contains the flags of the command doctor.
type doctor struct {
	store, blobs *string
	asJSON, sql  *bool
}

func doctorFlags(flags *flag.FlagSet) doctor {
	return doctor{
		store:  flags.String("store", "", "`URL` of the PostgreSQL database of the servers"),
		blobs:  flags.String("blobs", "", "`place` of the results outside of the database, as for serve: store, read and remove an object there, and read some of the results; if empty, it is not looked at"),
		asJSON: flags.Bool("json", false, "write the report as JSON"),
		sql:    flags.Bool("sql", false, "print only the SQL of the migrations that are pending, and apply nothing"),
	}
}

// Doctor writes a report about the database that servers share, and about the store of
// blobs. It changes nothing in the database. With -blobs, it stores a small object of its own
// in the store of blobs and removes it again. If something needs to be mended, it returns an error.
func Doctor(ctx context.Context, args []string, getenv func(string) string, out, help io.Writer) error {
	flags := newFlags("doctor")
	d := doctorFlags(flags)
	if err := settle(flags, args, getenv, help, "doctor [flags]"); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return usage{fmt.Errorf("unexpected argument %q", flags.Arg(0))}
	case *d.store == "":
		return usage{errors.New("doctor needs --store with the URL of the database of the servers")}
	}
	if _, err := databaseOf(*d.store); err != nil {
		return usage{err}
	}
	if *d.blobs != "" && !strings.Contains(*d.blobs, "://") {
		if _, err := os.Stat(*d.blobs); err != nil { // which would be created
			return usage{fmt.Errorf("-blobs: %w", err)}
		}
	}
	blobs, closeBlobs, err := openBlobs(ctx, *d.blobs)
	if err != nil {
		return fmt.Errorf("-blobs: %w", err)
	}
	defer func() { _ = closeBlobs() }()
	ctx, cancel := context.WithTimeoutCause(ctx, inspectIn, fmt.Errorf("the database has not answered within %v", inspectIn))
	defer cancel()
	r, err := postgres.Inspect(ctx, *d.store)
	if err == nil && !*d.sql {
		err = r.InspectBlobs(ctx, *d.store, blobs)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return err
	}
	var text strings.Builder
	switch {
	case *d.sql:
		if len(r.Pending) == 0 {
			break
		}
		text.WriteString("begin;\n\n") // programs apply all or none of them, too
		for _, m := range r.Pending {
			fmt.Fprintf(&text, "-- migration %d: %s\n%s\n", m.Version, m.Name, m.SQL)
		}
		text.WriteString("commit;\n")
	case *d.asJSON:
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		if err := e.Encode(r); err != nil {
			return err
		}
	default:
		writeReport(&text, r)
	}
	if _, err := io.WriteString(out, text.String()); err != nil {
		return err
	}
	if n := r.Problems(); n > 0 && !*d.sql {
		return fmt.Errorf("the database has problems: %d", n)
	}
	return nil
}

// writeReport writes a report for people. Texts of the database are quoted.
func writeReport(w io.Writer, r *postgres.Report) {
	fmt.Fprintf(w, "PostgreSQL %s, schema %d of %d, %.1f MB, clock %+.3f s, %d of %s connections\n",
		r.Server, r.Schema, r.Known, float64(r.Bytes)/1e6, r.Clock, r.Connections, r.Settings["max_connections"])
	for _, name := range []string{"synchronous_commit", "synchronous_standby_names", "autovacuum", "fsync", "max_wal_size", "shared_buffers"} {
		fmt.Fprintf(w, "  %s = %q\n", name, r.Settings[name])
	}
	for _, m := range r.Pending {
		fmt.Fprintf(w, "pending: migration %d (%s); --sql prints it\n", m.Version, m.Name)
	}
	for i := range r.Processes {
		p := &r.Processes[i]
		state := fmt.Sprintf("is considered dead in %.0f s", p.Expires)
		if !p.Alive {
			state = fmt.Sprintf("is dead since %.0f s", -p.Expires)
		}
		fmt.Fprintf(w, "process %s %q: %s, holds %d jobs, helps with %d tasks\n", p.ID, p.Name, state, p.Jobs, p.Capacity)
	}
	for _, l := range r.Jobs {
		fmt.Fprintf(w, "running %q: %d, the oldest since %.0f s\n", l.Kind, l.Running, l.Oldest)
	}
	if r.Orphans > 0 {
		fmt.Fprintf(w, "running without a living holder: %d\n", r.Orphans)
	}
	fmt.Fprintf(w, "tasks: %d wait, the oldest for %.0f s, %d in progress\n", r.Queue.Waiting, r.Queue.Oldest, r.Queue.Taken)
	if len(r.Droppable) > 0 {
		fmt.Fprintf(w, "days to drop: %s\n", strings.Join(r.Droppable, " "))
	}
	if b := r.Blobs; b != nil && b.Checked {
		fmt.Fprintf(w, "blobs: an object was stored, read and removed; the data of %d items were read, %d cannot be read\n", b.Sampled, b.Unreadable)
	}
	for _, f := range r.Findings {
		kind := "hint"
		if f.Problem {
			kind = "PROBLEM"
		}
		fmt.Fprintf(w, "%s: %s\n", kind, f.Text)
	}
}
