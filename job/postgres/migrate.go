// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"example.com/curlew/job"
)

//go:embed migrations/*.sql
var scripts embed.FS

// compatible is the version of the schema that a program must know at least, to use
// the newest schema of this package. A migration that breaks programs of the version
// before it raises this number. Such a version is rolled out in two steps.
const compatible = 1

// versions creates the table of the migrations that were applied.
const versions = `create schema if not exists curlew;
create table if not exists curlew.migration (
	version    int primary key,
	name       text not null,
	compatible int not null,
	applied    timestamptz not null default now()
);
`

// Migration is one numbered change of the schema. Its SQL also records that it was
// applied.
type Migration struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	SQL     string `json:"sql"`
}

// Migrations returns all changes of the schema in their order.
func Migrations() []Migration {
	files, err := scripts.ReadDir("migrations")
	if err != nil {
		panic(err) // the files are embedded, so this cannot happen
	}
	var list []Migration
	for _, f := range files { // by name, and so by number
		number, name, _ := strings.Cut(strings.TrimSuffix(f.Name(), ".sql"), "_")
		version, err := strconv.Atoi(number)
		if err != nil || version != len(list)+1 {
			panic("postgres: migration " + f.Name() + " is out of order")
		}
		sql, err := scripts.ReadFile("migrations/" + f.Name())
		if err != nil {
			panic(err)
		}
		text := string(sql) + fmt.Sprintf("\ninsert into curlew.migration (version, name, compatible) values (%d, '%s', %d);\n", version, name, compatible)
		if version == 1 {
			text = versions + "\n" + text
		}
		list = append(list, Migration{version, name, text})
	}
	return list
}

// Pending returns the migrations that the database at url lacks. It changes
// nothing. It returns the same errors as [Open].
func Pending(ctx context.Context, url string) ([]Migration, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("open the store: %w: %w", job.ErrStorage, err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	version, err := version(ctx, conn)
	if err != nil {
		return nil, err
	}
	all := Migrations()
	return all[min(version, len(all)):], nil
}

// querier is a connection, a pool or a transaction.
type querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// version returns the version of a database's schema. It is zero if there is no
// schema yet. If this program cannot use the schema, the error wraps [job.ErrVersion]
// and the version is returned, too.
func version(ctx context.Context, q querier) (int, error) {
	var encoding string
	var server, version, oldest int
	err := q.QueryRow(ctx, `select current_setting('server_encoding'), current_setting('server_version_num')::int`).Scan(&encoding, &server)
	if err != nil {
		return 0, storage(err)
	}
	switch {
	case server < 140000:
		return 0, fmt.Errorf("%w: PostgreSQL 14 or newer is required", job.ErrVersion)
	case encoding != "UTF8":
		return 0, fmt.Errorf("%w: the encoding of the database is %s, not UTF8", job.ErrVersion, encoding)
	}
	err = q.QueryRow(ctx, `select coalesce(max(version), 0), coalesce(max(compatible), 0) from curlew.migration`).Scan(&version, &oldest)
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && (e.Code == "42P01" || e.Code == "3F000") { // no such table or schema
		return 0, nil
	}
	if err != nil {
		return 0, storage(err)
	}
	if newest := len(Migrations()); oldest > newest {
		return version, fmt.Errorf("%w: the database has schema %d, which needs a program that knows schema %d; this one knows %d", job.ErrVersion, version, oldest, newest)
	}
	return version, nil
}

// migrateLock is the key of the advisory lock that a migration holds.
const migrateLock = 0x6375726c6577 // "curlew"

// migrate applies the migrations that the database lacks, in one transaction.
func migrate(ctx context.Context, conn *pgx.Conn) error {
	have, err := version(ctx, conn)
	if err != nil {
		return err
	}
	all := Migrations()
	if have >= len(all) {
		return nil
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock($1)`, int64(migrateLock)); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, versions); err != nil {
			return err
		}
		have, err := version(ctx, tx) // another process may have done it meanwhile
		if err != nil {
			return err
		}
		for _, m := range all[min(have, len(all)):] {
			if _, err := tx.Exec(ctx, m.SQL); err != nil {
				return fmt.Errorf("migration %d (%s): %w", m.Version, m.Name, err)
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, job.ErrVersion) {
		return storage(err)
	}
	return err
}
