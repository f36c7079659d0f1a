// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	_ "embed"
	"os/exec"
	"strconv"
)

//go:embed scrapy.py
var scrapyScript string

// interpreter is the Python for which Debian installs python3-scrapy.
const interpreter = "/usr/bin/python3"

// scrapy returns the command that runs Scrapy with good settings.
func scrapy(ctx context.Context, r run) *exec.Cmd {
	return exec.CommandContext(ctx, interpreter, "-c", scrapyScript, r.Server, strconv.Itoa(r.Concurrency))
}

// haveScrapy reports whether Scrapy can be imported.
func haveScrapy(ctx context.Context) bool {
	return exec.CommandContext(ctx, interpreter, "-c", "import scrapy").Run() == nil
}
