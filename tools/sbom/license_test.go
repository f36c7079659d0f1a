// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	mit = "MIT License\n\nCopyright (c) 2024 A\n\nPermission is hereby granted, free of charge, to any person ...\n\n" +
		"The above copyright notice and this permission notice\nshall be included in all copies ..."
	bsd = "Copyright (c) 2024 B\n\nRedistribution and use in source and binary forms, with or without modification, are permitted ..."
)

// folder writes files to a new folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLicenses(t *testing.T) {
	for _, c := range []struct {
		name, want, fault string
		files             map[string]string
	}{
		{"one", "MIT", "", map[string]string{"LICENSE.md": mit, "main.go": bsd}},
		{"two clauses", "BSD-2-Clause", "", map[string]string{"COPYING": bsd}},
		{"three clauses", "BSD-3-Clause", "", map[string]string{"LICENSE": bsd + "\n... may be used to endorse or promote\nproducts derived from this software"}},
		{"two files", "BSD-2-Clause AND MIT", "", map[string]string{"LICENSE": mit, "LICENSE.B": bsd}},
		{"two in one file", "Apache-2.0 AND MIT", "", map[string]string{"license.txt": "Apache License\n Version 2.0, January 2004\n" + mit}},
		{"a notice", "MIT", "", map[string]string{"LICENSE": mit, "NOTICE": "A thanks B."}},
		{"none", "", "no file with a license", map[string]string{"README": mit}},
		{"only a notice", "", "no file with a license", map[string]string{"NOTICE": mit}},
		{"unknown", "", "LICENSE is not known", map[string]string{"LICENSE": "GNU GENERAL PUBLIC LICENSE\nVersion 3"}},
		{"unknown beside a known one", "", "LICENSE.other is not known", map[string]string{"LICENSE": mit, "LICENSE.other": "All rights reserved."}},
		{"empty", "", "LICENSE is not known", map[string]string{"LICENSE": ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, texts, err := licenses(folder(t, c.files))
			if c.fault != "" {
				if err == nil || !strings.Contains(err.Error(), c.fault) {
					t.Fatalf("%q, %v, want an error with %q", got, err, c.fault)
				}
				return
			}
			if err != nil || got != c.want {
				t.Fatalf("%q, %v, want %q", got, err, c.want)
			}
			for name, text := range c.files {
				if name != "main.go" && !strings.Contains(strings.Join(texts, "\n"), text) {
					t.Errorf("the text of %s is missing", name)
				}
			}
		})
	}
	if _, _, err := licenses(filepath.Join(t.TempDir(), "absent")); err == nil {
		t.Error("a folder that does not exist: no error")
	}
}

// TestWriteLicenses checks that a text that two modules share is written once, below both names.
func TestWriteLicenses(t *testing.T) {
	list, err := listed(t, `{"Path":"a","Main":true}{"Path":"z","Version":"v1.0.0"}{"Path":"b","Version":"v2.0.0"}`)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := writeLicenses(&out, list); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), mit); n != 1 || !strings.Contains(out.String(), "\nb v2.0.0\nstd 1.26.0\nz v1.0.0\n") {
		t.Errorf("the text occurs %d times in %s", n, out.String())
	}
}

// TestOwnLicenses checks the licenses of this module's dependencies: -licenses names each
// module of the list.
func TestOwnLicenses(t *testing.T) {
	var list, texts bytes.Buffer
	if err := run([]string{".", "."}, &list); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{"-licenses", ".", "."}, &texts); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(list.String(), `"expression": "BSD-3-Clause"`) || !strings.Contains(texts.String(), "std 1.") || !strings.Contains(texts.String(), "Redistribution and use") {
		t.Errorf("%s\n%s", list.String(), texts.String())
	}
}
