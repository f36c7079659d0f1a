// SPDX-License-Identifier: Apache-2.0

// Matrix compares the table of calls and clients in docs/clients.md with the calls that
// the other scripts made and that curlew serve answered with success. They store them in
// the directory that INTEROP_CALLS names.
//
//	node matrix.mjs DIRECTORY            fails if the table is not that of the calls
//	node matrix.mjs DIRECTORY --update   writes the table

import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

const clients = {
  JavaScript: "@mendable/firecrawl-js",
  CLI: "firecrawl-cli",
  MCP: "firecrawl-mcp",
  Go: "", // ours
  "curlew mcp": "", // ours
};

// write stores the calls of a client. It does nothing without INTEROP_CALLS.
export async function write(client, calls) {
  if (process.env.INTEROP_CALLS) await writeFile(path.join(process.env.INTEROP_CALLS, `${client}.json`), JSON.stringify(calls));
}

// pattern is the regular expression of a path such as /v2/crawl/{id}. Each part without a
// variable sorts before one with a variable, so that /v2/crawl/active is not an id.
const pattern = (route) => new RegExp(`^${route.replace(/\{\w+\}/g, "[^/]+")}$`);

async function table(dir) {
  const { paths } = JSON.parse(await readFile(new URL("../docs/openapi.json", import.meta.url)));
  const routes = Object.keys(paths).sort((a, b) => (a.match(/\{/g)?.length ?? 0) - (b.match(/\{/g)?.length ?? 0));
  const made = {};
  for (const client of Object.keys(clients)) {
    made[client] = new Set();
    for (const call of JSON.parse(await readFile(path.join(dir, `${client}.json`)))) {
      const [method, url] = call.split(" ");
      if (!url.startsWith("/v2/")) continue; // of the test, not of the client
      const route = routes.find((r) => pattern(r).test(url.split("?")[0]));
      if (!route) throw new Error(`${client} called ${call}, which docs/openapi.json does not have`);
      made[client].add(`${method === "UPGRADE" ? "WebSocket" : method} ${route}`);
    }
  }
  const all = Object.entries(paths).filter(([p]) => p.startsWith("/v2/")).flatMap(([p, methods]) => Object.keys(methods).filter((m) => ["get", "post", "put", "delete"].includes(m)).map((m) => `${m.toUpperCase()} ${p}`));
  all.push("WebSocket /v2/crawl/{id}", "WebSocket /v2/batch/scrape/{id}");
  const order = (s) => s.replace(/(\S+) (.*)/, "$2 $1");
  all.sort((a, b) => (order(a) < order(b) ? -1 : 1));
  const called = all.filter((c) => Object.values(made).some((set) => set.has(c)));
  const version = createRequire(import.meta.url)("./package.json").dependencies;
  const names = Object.entries(clients).map(([name, pkg]) => (pkg ? `${name} ${version[pkg]}` : name));
  const rows = called.map((c) => `| \`${c}\` | ${Object.keys(clients).map((name) => (made[name].has(c) ? "yes" : "")).join(" | ")} |`);
  const others = all.filter((c) => !called.includes(c)).map((c) => `\`${c}\``);
  return [`| Call | ${names.join(" | ")} |`, `|---|${"---|".repeat(names.length)}`, ...rows, "", `None of the clients makes these calls in the tests: ${others.join(", ")}.`].join("\n");
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const file = new URL("../docs/clients.md", import.meta.url);
  const [begin, end] = ["<!-- matrix -->\n", "\n<!-- end of the matrix -->"];
  const text = await readFile(file, "utf8");
  const [from, to] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
  if (from < begin.length || to < from) throw new Error("docs/clients.md has no place for the matrix");
  const want = await table(process.argv[2]);
  if (process.argv[3] === "--update") await writeFile(file, text.slice(0, from) + want + text.slice(to));
  else if (text.slice(from, to) !== want) {
    const have = text.slice(from, to).split("\n"), lines = want.split("\n");
    for (const line of have.filter((l) => !lines.includes(l))) console.log(`- ${line}`);
    for (const line of lines.filter((l) => !have.includes(l))) console.log(`+ ${line}`);
    console.log("The matrix in docs/clients.md is not that of the calls: node matrix.mjs DIRECTORY --update");
    process.exitCode = 1;
  } else console.log("ok   the matrix of docs/clients.md");
}
