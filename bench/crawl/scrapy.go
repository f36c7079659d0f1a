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

// interpreter runs Scrapy where Debian's package python3-scrapy put it, whatever
// other Python comes first on the path.
const interpreter = "/usr/bin/python3"

// scrapy is Scrapy at its best, as a process of its own.
func scrapy(ctx context.Context, r run) *exec.Cmd {
	return exec.CommandContext(ctx, interpreter, "-c", scrapyScript, r.Server, strconv.Itoa(r.Concurrency))
}

// haveScrapy reports whether Scrapy can be imported.
func haveScrapy(ctx context.Context) bool {
	return exec.CommandContext(ctx, interpreter, "-c", "import scrapy").Run() == nil
}
