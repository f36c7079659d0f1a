// SPDX-License-Identifier: Apache-2.0

// Package pgtest runs a PostgreSQL server of its own for tests.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// ready is how long a server may take to start or to stop, on a busy machine.
const ready = 2 * time.Minute

// Server is a PostgreSQL server with a temporary directory. It listens on a Unix
// socket in that directory only.
type Server struct {
	dir  string
	bin  string
	cred *syscall.Credential // user that the server runs as; nil if the tests do not run as root

	mu        sync.Mutex
	process   *exec.Cmd     // guarded by mu; nil if it does not run
	exited    chan struct{} // guarded by mu; closed when process has ended
	databases int           // guarded by mu
}

// Binaries returns the directory of PostgreSQL's programs, or "" if they are not
// installed.
func Binaries() string {
	if p, err := exec.LookPath("initdb"); err == nil {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			p = real // the other programs are beside it
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(p), "postgres")); err == nil {
			return filepath.Dir(p)
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // the pattern is valid
	slices.SortFunc(found, func(a, b string) int { return len(a) - len(b) })
	if len(found) == 0 {
		return ""
	}
	return filepath.Dir(found[len(found)-1])
}

// Start starts a server, and skips t if PostgreSQL is not installed. With durable,
// commits wait for the disk as in production.
func Start(t testing.TB, durable bool, settings ...string) *Server {
	t.Helper()
	s, err := New(durable, settings...)
	if errors.Is(err, errMissing) {
		t.Skip("PostgreSQL is not installed")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Remove)
	return s
}

var errMissing = errors.New("PostgreSQL is not installed")

// New is Start without a test. The caller must call Remove.
func New(durable bool, settings ...string) (*Server, error) {
	s := &Server{bin: Binaries()}
	if s.bin == "" {
		return nil, errMissing
	}
	var err error
	if s.dir, err = os.MkdirTemp("", "curlew-pg-"); err != nil {
		return nil, err
	}
	err = s.init(durable, settings)
	if err == nil {
		err = s.Run()
	}
	if err != nil {
		s.Remove()
		return nil, err
	}
	return s, nil
}

// init creates the files of the server.
func (s *Server) init(durable bool, settings []string) error {
	if os.Getuid() == 0 { // the server refuses to run as root
		if err := s.becomeUser(); err != nil {
			return err
		}
	}
	out, err := s.command("initdb", "-D", s.data(), "-U", "curlew", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync", "--no-instructions").CombinedOutput()
	if err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	lines := []string{
		"listen_addresses = ''", "unix_socket_directories = '" + s.dir + "'", "max_connections = 200", "shared_buffers = 64MB",
		"autovacuum_naptime = 5s", "log_min_messages = warning", "logging_collector = off", "max_wal_size = 1GB", "fsync = " + strconv.FormatBool(durable),
	}
	f, err := os.OpenFile(filepath.Join(s.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString("\n" + strings.Join(append(lines, settings...), "\n") + "\n")
	return errors.Join(err, f.Close())
}

// becomeUser makes the server run as an unprivileged user.
func (s *Server) becomeUser() error {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		s.cred = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		return os.Chown(s.dir, int(uid), int(gid))
	}
	return errors.New("there is no user postgres or nobody that the server could run as")
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// command returns a command that runs a program of PostgreSQL as the server's
// user.
func (s *Server) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(filepath.Join(s.bin, name), args...) //nolint:noctx // the server ends with Remove
	c.Dir = s.dir
	c.SysProcAttr = &syscall.SysProcAttr{Credential: s.cred, Setpgid: true}
	return c
}

// Run starts the server and waits until it accepts connections.
func (s *Server) Run() error {
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	c := s.command("postgres", "-D", s.data())
	c.Stdout, c.Stderr = log, log
	c.SysProcAttr.Pdeathsig = syscall.SIGQUIT // ends the server if the tests are killed
	started, exited := make(chan error), make(chan struct{})
	go func() {
		defer close(exited)
		runtime.LockOSThread() // the signal is sent when this thread ends
		defer runtime.UnlockOSThread()
		err := c.Start()
		started <- err
		if err == nil {
			_ = c.Wait()
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	s.mu.Lock()
	s.process, s.exited = c, exited
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), ready)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, s.url("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-exited:
			text, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return fmt.Errorf("postgres has ended: %s", text)
		case <-ctx.Done():
			return fmt.Errorf("postgres does not start: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Kill ends the server at once, as a crash of its machine would: with all its
// processes, and without any of them noticing.
func (s *Server) Kill() { s.signal(syscall.SIGKILL) }

// Stop ends the server properly.
func (s *Server) Stop() { s.signal(syscall.SIGINT) }

func (s *Server) signal(sig syscall.Signal) {
	s.mu.Lock()
	c, exited := s.process, s.exited
	s.process = nil
	s.mu.Unlock()
	if c == nil {
		return
	}
	var children []int
	if sig == syscall.SIGKILL {
		_ = c.Process.Signal(syscall.SIGSTOP) // so that it starts no more processes
		children = childrenOf(c.Process.Pid)
	}
	_ = c.Process.Signal(sig)
	for _, pid := range children {
		_ = syscall.Kill(pid, sig)
	}
	<-exited
	for _, pid := range children { // they keep the shared memory until they are gone
		for deadline := time.Now().Add(ready); runs(pid) && time.Now().Before(deadline); {
			<-time.After(time.Millisecond)
		}
	}
	_ = os.Remove(filepath.Join(s.data(), "postmaster.pid"))
}

// runs reports whether a process has not ended yet. A zombie has.
func runs(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}

// childrenOf returns the processes that a process has started. Each has a process
// group of its own.
func childrenOf(pid int) (children []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	for _, name := range all {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		var state string
		var child, parent int
		_, err1 := fmt.Sscan(rest, &state, &parent)
		_, err2 := fmt.Sscan(string(stat), &child)
		if err1 == nil && err2 == nil && parent == pid {
			children = append(children, child)
		}
	}
	return children
}

// Remove ends the server and removes its files.
func (s *Server) Remove() {
	s.signal(syscall.SIGQUIT)
	_ = os.RemoveAll(s.dir)
}

func (s *Server) url(database string) string {
	return "host=" + s.dir + " user=curlew dbname=" + database + " sslmode=disable"
}

// Standby starts a server to which s replicates all changes. From now on, s acknowledges a
// transaction only when the standby has it on its disk, too. The caller must call Remove.
func (s *Server) Standby() (*Server, error) {
	b := &Server{bin: s.bin, cred: s.cred}
	var err error
	if b.dir, err = os.MkdirTemp("", "curlew-pg-"); err != nil {
		return nil, err
	}
	if err := b.follow(s); err != nil {
		b.Remove()
		return nil, err
	}
	return b, nil
}

// follow copies the files of the primary, starts the server, and makes the primary wait
// for it.
func (s *Server) follow(primary *Server) error {
	if s.cred != nil {
		if err := os.Chown(s.dir, int(s.cred.Uid), int(s.cred.Gid)); err != nil {
			return err
		}
	}
	out, err := s.command("pg_basebackup", "-D", s.data(), "-d", primary.url("postgres"), "-R", "-c", "fast", "-X", "stream").CombinedOutput()
	if err != nil {
		return fmt.Errorf("pg_basebackup: %w: %s", err, out)
	}
	f, err := os.OpenFile(filepath.Join(s.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString("unix_socket_directories = '" + s.dir + "'\ncluster_name = 'standby'\n") // the last value of a setting counts
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := s.Run(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), ready)
	defer cancel()
	conn, err := pgx.Connect(ctx, primary.url("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, sql := range []string{`alter system set synchronous_standby_names = 'standby'`, `select pg_reload_conf()`} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	for synchronous := false; !synchronous; {
		if err := conn.QueryRow(ctx, `select exists (select from pg_stat_replication where sync_state = 'sync')`).Scan(&synchronous); err != nil {
			return fmt.Errorf("the standby does not replicate: %w", err)
		}
		<-time.After(20 * time.Millisecond)
	}
	return nil
}

// Promote makes a standby a server of its own that can be written to.
func (s *Server) Promote() error {
	ctx, cancel := context.WithTimeout(context.Background(), ready)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.url("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	var promoted bool
	err = conn.QueryRow(ctx, `select pg_promote(true, $1)`, int(ready.Seconds())).Scan(&promoted)
	if err == nil && !promoted {
		err = errors.New("the standby was not promoted in time")
	}
	return err
}

// Either returns a connection string for the database at url, a database of s or of b,
// that connects to the one of these servers that can be written to.
func (s *Server) Either(b *Server, url string) string {
	_, rest, _ := strings.Cut(url, " ")
	return "host=" + s.dir + "," + b.dir + " " + rest + " target_session_attrs=read-write"
}

// Database creates an empty database and returns its connection string.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	url, err := s.Create()
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// Create is Database without a test.
func (s *Server) Create() (url string, err error) {
	s.mu.Lock()
	s.databases++
	name := fmt.Sprintf("test%d", s.databases)
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), ready)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.url("postgres"))
	if err != nil {
		return "", err
	}
	_, err = conn.Exec(ctx, "create database "+name)
	return s.url(name), errors.Join(err, conn.Close(ctx))
}

// URL is like Database, but returns a URL.
func (s *Server) URL(t testing.TB) string {
	t.Helper()
	name := s.Database(t)
	return "postgres://curlew@/" + name[strings.LastIndex(name, "test"):strings.LastIndex(name, " ")] + "?sslmode=disable&host=" + s.dir
}

// Exec runs statements in a database.
func Exec(t testing.TB, url, sql string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.Exec(t.Context(), sql, args...)
	if err := errors.Join(err, conn.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
}
