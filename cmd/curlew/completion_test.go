// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestBash completes words in a real bash, if there is one.
func TestBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	code, script, said := call(t, "", "completion", "bash")
	if code != 0 {
		t.Fatalf("exit %d, %s", code, said)
	}
	for _, tt := range []struct {
		words []string // the last one is completed
		want  []string // among the answers
		not   string
	}{
		{[]string{"cr"}, []string{"crawl"}, "scrape"},
		{[]string{"crawl", "--ex"}, []string{"--exclude", "--external"}, "--limit"},
		{[]string{"crawl", "--sitemap", ""}, []string{"include", "skip", "only"}, "--limit"},
		{[]string{"crawl", "--sitemap", "=", "s"}, []string{"skip"}, "only"},
		{[]string{"crawl", "--sitemap", "="}, []string{"skip"}, ""},
		{[]string{"crawl", "--format", ""}, []string{"md", "jsonl", "single"}, "links"},
		{[]string{"search", "--sources", ""}, []string{"web", "news", "images"}, "pdf"},
		{[]string{"export", "--format", ""}, []string{"md", "jsonl", "links", "warc"}, "single"},
		{[]string{"serve", "--da"}, []string{"--data"}, "--depth"},
		{[]string{"completion", ""}, []string{"bash", "zsh", "fish"}, "crawl"},
		{[]string{"keys", "re"}, []string{"revoke"}, "new"},
		{[]string{"parse", "repo"}, nil, "--ocr"},
	} {
		program := exec.CommandContext(t.Context(), bash, append([]string{"--norc", "-c", script + `
COMP_WORDS=(curlew "$@") COMP_CWORD=$#
_curlew
printf '%s\n' "${COMPREPLY[@]}"`, "bash"}, tt.words...)...)
		var faults bytes.Buffer
		program.Stderr = &faults
		out, err := program.Output()
		found := strings.Fields(string(out))
		if err != nil || faults.Len() > 0 || slices.Contains(found, tt.not) {
			t.Errorf("%q: %q, %v %s", tt.words, found, err, &faults)
		}
		for _, want := range tt.want {
			if !slices.Contains(found, want) {
				t.Errorf("%q: no %s in %q", tt.words, want, found)
			}
		}
	}
}

// TestComplete checks that each shell, and the manual, has every command and every flag
// that the command accepts.
func TestComplete(t *testing.T) {
	outputs := map[string]string{}
	for _, shell := range shells {
		_, outputs[shell], _ = call(t, "", "completion", shell)
	}
	_, manual, _ := call(t, "", "man")
	outputs["man"] = strings.ReplaceAll(manual, `\-`, "-")
	flag := map[string]string{"bash": "--%", "zsh": "--%", "fish": "-l %", "man": "--%"}
	for _, c := range commands() {
		for _, o := range new(env).options(&c) {
			if len(o.name) == 1 {
				continue
			}
			for name, text := range outputs {
				if want := strings.ReplaceAll(flag[name], "%", o.name); !strings.Contains(text, want) || !strings.Contains(text, c.name) {
					t.Errorf("%s: no %s of %s", name, want, c.name)
				}
			}
			if c.define != nil {
				if _, _, said := call(t, "", c.name, "--"+o.name+"=\x00", "-h"); strings.Contains(said, "not defined") {
					t.Errorf("%s: %s", c.name, said)
				}
			}
		}
	}
	for _, shell := range []string{"zsh", "fish"} { // a syntax check where they are installed
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		program := exec.CommandContext(t.Context(), path, "-n")
		program.Stdin = strings.NewReader(outputs[shell])
		if out, err := program.CombinedOutput(); err != nil {
			t.Errorf("%s: %v %s", shell, err, out)
		}
	}
	for want, args := range map[string][]string{
		"needs a shell":              {"completion"},
		`not "csh"`:                  {"completion", "csh"},
		`unexpected argument "more"`: {"man", "more"},
	} {
		if code, _, said := call(t, "", args...); code != exitUsage || !strings.Contains(said, want) {
			t.Errorf("%v: exit %d, %s", args, code, said)
		}
	}
}

// TestManual checks that the manual is the same everywhere, and that groff reads it without
// a warning if it is installed.
func TestManual(t *testing.T) {
	_, before, _ := call(t, "", "man")
	t.Setenv("CURLEW_PROXY", "http://user:s3cret@proxy:3128")
	if _, text, _ := call(t, "", "man"); text != before || strings.Contains(text, "s3cret") {
		t.Error("the manual depends on the environment")
	}
	for line := range strings.Lines(before) {
		macro, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(macro, ".") && !slices.Contains([]string{".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".I", ".nf", ".fi"}, macro) || strings.HasPrefix(macro, "'") {
			t.Errorf("unknown macro in %q", line)
		}
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		return
	}
	program := exec.CommandContext(t.Context(), groff, "-man", "-Tascii", "-ww", "-z")
	program.Stdin = strings.NewReader(before)
	if out, err := program.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("groff: %v %s", err, out)
	}
}
