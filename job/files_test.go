// SPDX-License-Identifier: Apache-2.0

package job_test

import (
	"testing"

	"example.com/curlew/internal/journal/journaltest"
	"example.com/curlew/job"
	"example.com/curlew/job/jobtest"
)

// openFiles opens a store in dir, and closes it at the end.
func openFiles(t testing.TB, dir string) *job.Files {
	t.Helper()
	f, err := job.OpenFiles(dir, job.FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return f
}

func TestFiles(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) job.Store{
		"disk": func(t *testing.T) job.Store { return openFiles(t, t.TempDir()) },
		"fake": func(t *testing.T) job.Store {
			f, err := job.OpenDisk(new(journaltest.FS))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			return f
		},
	} {
		t.Run(name, func(t *testing.T) { jobtest.Check(t, open) })
	}
}

// TestReopen closes a store and opens it again, or lets it go on where it is, as
// a process does that is killed.
func TestReopen(t *testing.T) {
	t.Run("closed", func(t *testing.T) {
		jobtest.CheckReopen(t, func(t *testing.T) (job.Store, func(*testing.T) job.Store) {
			dir := t.TempDir()
			f := openFiles(t, dir)
			return f, func(t *testing.T) job.Store {
				if err := f.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
				f = openFiles(t, dir)
				return f
			}
		})
	})
	t.Run("killed", func(t *testing.T) {
		jobtest.CheckReopen(t, func(t *testing.T) (job.Store, func(*testing.T) job.Store) {
			disk := new(journaltest.FS)
			open := func(t *testing.T) job.Store {
				f, err := job.OpenDisk(disk)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { f.Close() })
				return f
			}
			return open(t), func(t *testing.T) job.Store {
				disk = disk.Clone() // the old one writes where nobody reads
				return open(t)
			}
		})
	})
}
