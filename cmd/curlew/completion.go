// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/curlew/export"
)

// shells are the shells whose completion the program can print.
var shells = []string{"bash", "zsh", "fish"}

// choices returns the values that a flag of a command can have, or nil if there is no list
// of them.
func choices(command, name string) []string {
	if command == "crawl" && name == "format" {
		return layouts
	}
	switch name {
	case "sitemap":
		return []string{"include", "skip", "only"}
	case "sources":
		return []string{"web", "news", "images"}
	case "categories":
		return []string{"github", "research", "pdf"}
	case "form", "formats":
		return append([]string{"markdown"}, storedForms...)
	case "since":
		return []string{"last"}
	case "format":
		var names []string
		for _, f := range export.Formats() {
			names = append(names, string(f))
		}
		return append(names, "warc")
	}
	return nil
}

// option is a flag as completion and manual show it.
type option struct {
	name, value, usage string // value names the kind of its value; it is empty for a switch
	initial            string // default, or empty if it needs no mention
}

// options returns the flags of a command in the order of their names.
func (e *env) options(c *command) []option {
	f, _ := e.flagsOf(c)
	var all []option
	f.VisitAll(func(g *flag.Flag) {
		value, usage := flag.UnquoteUsage(g)
		o := option{name: g.Name, value: value, usage: usage}
		if !slices.Contains([]string{"", "0", "0s", "false"}, g.DefValue) {
			o.initial = g.DefValue
		}
		all = append(all, o)
	})
	return all
}

// summary returns the first clause of what the flag does, for lists that are narrow.
func (o *option) summary() string {
	text, _, _ := strings.Cut(o.usage, ";")
	text, _, _ = strings.Cut(text, ", such as")
	return text
}

// words returns the arguments of the command that are words of a fixed list.
func (c *command) words() []string {
	if c.args == "" || strings.ToUpper(c.args) == c.args {
		return nil
	}
	return strings.Split(c.args, "|")
}

// namesFile reports whether the values or arguments that a word names are files or folders.
func namesFile(word string) bool {
	return slices.ContainsFunc([]string{"file", "folder", "directory", "path"}, func(kind string) bool {
		return strings.Contains(strings.ToLower(word), kind)
	})
}

// printCompletion is the command completion.
func printCompletion(e *env, _ *flag.FlagSet) action {
	return func(rest []string) error {
		switch {
		case len(rest) == 0:
			return usage("completion needs a shell: %s", strings.Join(shells, ", "))
		case len(rest) > 1:
			return usageOf(rest[1:])
		}
		scripts := map[string]func() string{"bash": e.bash, "zsh": e.zsh, "fish": e.fish}
		script, ok := scripts[rest[0]]
		if !ok {
			return usage("completion knows %s, not %q", strings.Join(shells, ", "), rest[0])
		}
		_, err := io.WriteString(e.out, script())
		return err
	}
}

// single returns a text in single quotes, as a shell reads it.
func single(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// bash returns the completion for bash. It completes names of files where it knows nothing
// better.
func (e *env) bash() string {
	var b strings.Builder
	b.WriteString(`# Completion of curlew for bash. Load it with: source <(curlew completion bash)
_curlew() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
	local commands flags words
	COMPREPLY=()
`)
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	fmt.Fprintf(&b, "\tcommands=%s\n", single(strings.Join(append(names, "help"), " ")))
	b.WriteString(`	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W "$commands" -- "$word"))
		return
	fi
	[[ $before != = ]] || before=${COMP_WORDS[COMP_CWORD-2]}
	[[ $word != = ]] || word=
	case "$command $before" in
`)
	for _, c := range commands() {
		for _, o := range e.options(&c) {
			if values := choices(c.name, o.name); values != nil {
				fmt.Fprintf(&b, "\t'%s -%s' | '%s --%s') words=%s ;;\n", c.name, o.name, c.name, o.name, single(strings.Join(values, " ")))
			}
		}
	}
	b.WriteString(`	esac
	if [[ -n $words ]]; then
		COMPREPLY=($(compgen -W "$words" -- "$word"))
		return
	fi
	case $command in
`)
	for _, c := range commands() {
		var flags []string
		for _, o := range e.options(&c) {
			flags = append(flags, "--"+o.name)
		}
		fmt.Fprintf(&b, "\t%s) flags=%s words=%s ;;\n", c.name, single(strings.Join(flags, " ")), single(strings.Join(c.words(), " ")))
	}
	b.WriteString(`	esac
	if [[ $word == -* ]]; then
		COMPREPLY=($(compgen -W "$flags" -- "$word"))
	elif [[ $before != -* ]]; then
		COMPREPLY=($(compgen -W "$words" -- "$word"))
	fi
}
complete -o default -F _curlew curlew
`)
	return b.String()
}

// zsh returns the completion for zsh.
func (e *env) zsh() string {
	var b strings.Builder
	b.WriteString("#compdef curlew\n# Completion of curlew for zsh. Store it as _curlew in a folder of $fpath.\n_curlew() {\n\tlocal -a commands\n\tcommands=(\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "\t\t%s\n", single(c.name+":"+c.summary))
	}
	b.WriteString("\t)\n\tif ((CURRENT == 2)); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tlocal command=$words[2]\n\tshift words\n\t((CURRENT--))\n\tcase $command in\n")
	quote := strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`)
	for _, c := range commands() {
		fmt.Fprintf(&b, "\t%s)\n\t\t_arguments -S", c.name)
		for _, o := range e.options(&c) {
			dashes := "--"
			if len(o.name) == 1 {
				dashes = "-"
			}
			spec := fmt.Sprintf("*%s%s", dashes, o.name)
			if o.value != "" {
				spec += "="
				if len(o.name) == 1 {
					spec = strings.TrimSuffix(spec, "=") + "+"
				}
			}
			spec += "[" + quote.Replace(o.summary()) + "]"
			if o.value != "" {
				spec += ":" + quote.Replace(o.value) + ":"
				if values := choices(c.name, o.name); values != nil {
					spec += "(" + strings.Join(values, " ") + ")"
				} else if namesFile(o.value) {
					spec += "_files"
				}
			}
			fmt.Fprintf(&b, " \\\n\t\t\t%s", single(spec))
		}
		switch words := c.words(); {
		case words != nil:
			fmt.Fprintf(&b, " \\\n\t\t\t%s", single("*:word:("+strings.Join(words, " ")+")"))
		case namesFile(c.args):
			fmt.Fprintf(&b, " \\\n\t\t\t%s", single("*:file:_files"))
		}
		b.WriteString("\n\t\t;;\n")
	}
	b.WriteString("\tesac\n}\n_curlew \"$@\"\n")
	return b.String()
}

// fish returns the completion for fish.
func (e *env) fish() string {
	var b strings.Builder
	b.WriteString("# Completion of curlew for fish. Load it with: curlew completion fish | source\ncomplete -c curlew -f\n")
	quote := func(text string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
	}
	for _, c := range commands() {
		fmt.Fprintf(&b, "complete -c curlew -n __fish_use_subcommand -a %s -d %s\n", c.name, quote(c.summary))
	}
	for _, c := range commands() {
		when := quote("__fish_seen_subcommand_from " + c.name)
		for _, o := range e.options(&c) {
			kind := "-l"
			if len(o.name) == 1 {
				kind = "-s"
			}
			fmt.Fprintf(&b, "complete -c curlew -n %s %s %s -d %s", when, kind, o.name, quote(o.summary()))
			switch values := choices(c.name, o.name); {
			case o.value == "":
			case values != nil:
				fmt.Fprintf(&b, " -x -a %s", quote(strings.Join(values, " ")))
			case namesFile(o.value):
				b.WriteString(" -r -F")
			default:
				b.WriteString(" -x")
			}
			b.WriteByte('\n')
		}
		if words := c.words(); words != nil {
			fmt.Fprintf(&b, "complete -c curlew -n %s -a %s\n", when, quote(strings.Join(words, " ")))
		} else if namesFile(c.args) {
			fmt.Fprintf(&b, "complete -c curlew -n %s -F\n", when)
		}
	}
	return b.String()
}
