// SPDX-License-Identifier: Apache-2.0

// Commands tests curlew serve with the official command line client, the official
// MCP server, the MCP server of curlew and the Go client: scrape, crawl, map, parse
// and the start of an agent on the demo site, once with a model and once without.
//
//	node commands.mjs CURLEW_PROGRAM CRAWL_PROGRAM CLIENT_PROGRAM

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

import { write } from "./matrix.mjs";
import { start, stop } from "./programs.mjs";
import { model, searxng } from "./providers.mjs";
import { proxy } from "./proxy.mjs";

const [serverProgram, crawlProgram, clientProgram] = process.argv.slice(2);
const key = "fc-interop-key";
const require = createRequire(import.meta.url);
const noSearcher = "Searches need a search provider, and this server has none configured.";
const noModel = "The agent needs a model, and this server has none configured.";
const schema = JSON.stringify({ type: "object", properties: { name: { type: "string" } }, required: ["name"] });

// program returns the path of the program in an npm package.
const program = (name) => path.join(path.dirname(require.resolve(`${name}/package.json`)), "dist", "index.js");

// cli runs the command line client and resolves with its output.
function cli(url, home, args) {
  const env = { ...process.env, HOME: home, NO_COLOR: "1", FIRECRAWL_NO_TELEMETRY: "1", DO_NOT_TRACK: "1" };
  const all = [program("firecrawl-cli"), ...args, "--api-key", key, "--api-url", url];
  return new Promise((resolve) => {
    execFile(process.execPath, all, { env, cwd: home, timeout: 60_000 }, (err, stdout, stderr) => resolve({ err, text: stdout + stderr, out: stdout }));
  });
}

// mcp starts an MCP server and connects to its standard streams.
async function mcp(url, home, command, args) {
  const env = { ...process.env, HOME: home, FIRECRAWL_API_URL: url, FIRECRAWL_API_KEY: key, DO_NOT_TRACK: "1" };
  const child = spawn(command, args, { env, cwd: home, stdio: ["pipe", "pipe", "ignore"] });
  child.setMaxListeners(0); // each call listens for the exit
  const waiting = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
  });
  let last = 0;
  const send = (message) => child.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
  const ask = (method, params) => new Promise((resolve, reject) => {
    const id = ++last;
    waiting.set(id, resolve);
    child.once("exit", () => reject(new Error(`the MCP server ended in ${method}`)));
    send({ id, method, params });
  });
  await ask("initialize", { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "interop", version: "1" } });
  send({ method: "notifications/initialized" });
  const tool = async (name, args) => {
    const { result, error } = await ask("tools/call", { name, arguments: args });
    assert.equal(error, undefined, JSON.stringify(error));
    return { failed: result.isError === true, text: result.content.map((c) => c.text).join("\n") };
  };
  return { tool, close: () => child.removeAllListeners("exit").kill("SIGTERM") };
}

const id = (text) => text.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/)?.[0];

const tests = {
  async "cli scrape"({ run, site }) {
    assert.match((await run("scrape", `${site}/news/1`, "--only-main-content")).out, /# Note 1/);
    const doc = JSON.parse((await run("scrape", `${site}/news/1`, "-f", "markdown,links")).out.replace(/^[^{]*/, ""));
    assert.equal(doc.metadata.title, "Note 1");
    assert.ok(doc.links.includes(`${site}/about`));
  },
  async "cli crawl"({ run, site }) {
    const whole = JSON.parse((await run("crawl", site, "--limit", "3", "--wait", "--poll-interval", "1")).out);
    assert.equal(whole.status, "completed");
    assert.equal(whole.data.length, 3);
    const started = JSON.parse((await run("crawl", site, "--limit", "2")).out);
    assert.ok(id(started.data.jobId));
    assert.match((await run("crawl", started.data.jobId, "--status")).out, /scraping|completed/);
  },
  async "cli map"({ run, site }) {
    assert.equal((await run("map", site, "--limit", "5")).out.trim().split("\n").length, 5);
  },
  async "cli parse"({ run, file }) {
    assert.match((await run("parse", file)).out, /# Hello\s+text/);
  },
  async "cli agent"({ run, site, agent }) {
    const asked = ["agent", "What is the site called?", "--urls", `${site}/`, "--schema", schema];
    if (!agent) {
      assert.ok((await run(...asked)).text.includes(noModel));
      return;
    }
    const { text } = await run(...asked, "--wait", "--poll-interval", "1", "--json");
    assert.match(text, /"name": ?"The Wader Trust"/);
  },
  async "cli search"({ run, agent }) {
    if (!agent) {
      assert.match((await run("search", "waders", "--limit", "2")).text, /status code 501/); // this client hides the text
      return;
    }
    const { text } = await run("search", "waders", "--limit", "2");
    assert.match(text, /The Wader Trust/);
  },
  async "cli credit-usage"({ run }) {
    assert.match((await run("credit-usage")).out, /Remaining Credits/);
  },
  async "mcp scrape, map, crawl"({ tool, site }) {
    const page = await tool("firecrawl_scrape", { url: `${site}/news/1`, formats: ["markdown"] });
    assert.ok(!page.failed && page.text.includes("# Note 1"), page.text);
    const map = JSON.parse((await tool("firecrawl_map", { url: site, limit: 5 })).text);
    assert.equal(map.links.length, 5);
    const crawl = await tool("firecrawl_crawl", { url: site, limit: 3 });
    assert.ok(!crawl.failed && id(crawl.text), crawl.text);
    const status = await tool("firecrawl_check_crawl_status", { id: id(crawl.text) });
    assert.ok(!status.failed && /scraping|completed/.test(status.text), status.text);
    const credits = await tool("firecrawl_credit_usage", {});
    assert.ok(!credits.failed, credits.text);
  },
  async "mcp parse"({ tool, file }) {
    const doc = await tool("firecrawl_parse", { filePath: file });
    assert.ok(!doc.failed && doc.text.includes("# Hello"), doc.text);
  },
  async "mcp search"({ tool, site, agent }) {
    const found = await tool("firecrawl_search", { query: "waders", limit: 2 });
    if (!agent) {
      assert.ok(found.failed && found.text.includes(noSearcher), found.text);
      return;
    }
    assert.ok(!found.failed && found.text.includes(`${site}/news/1`), found.text);
  },
  async "mcp agent"({ tool, site, agent }) {
    const started = await tool("firecrawl_agent", { prompt: "What is the site called?", urls: [`${site}/`], schema: JSON.parse(schema), strictConstrainToURLs: true });
    if (!agent) {
      assert.ok(started.failed && started.text.includes(noModel), started.text);
      return;
    }
    assert.ok(!started.failed, started.text);
    let status = started;
    for (let n = 0; n < 60 && !/"status": ?"completed"/.test(status.text); n++) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      status = await tool("firecrawl_agent_status", { id: id(started.text) });
    }
    assert.ok(status.text.includes("The Wader Trust"), status.text);
  },
  async "curlew mcp scrape, map, crawl"({ own, url, site }) {
    const page = await own("firecrawl_scrape", { url: `${site}/news/1` });
    assert.ok(!page.failed && page.text.includes("# Note 1"), page.text);
    const map = await own("firecrawl_map", { url: site, limit: 5 });
    assert.ok(!map.failed && map.text.includes(`${site}/`), map.text);
    const crawl = await own("firecrawl_crawl", { url: site, limit: 3 });
    assert.match(crawl.text, /completed, 3 of 3 pages/);
    const why = await own("curlew_explain", { id: id(crawl.text), url: "https://example.com/" });
    assert.match(why.text, /is not crawled/);
    const slow = await fetch(`${url}/v2/crawl`, {
      method: "POST", headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ url: site, limit: 50, delay: 5 }),
    });
    const cancelled = await own("curlew_cancel", { id: (await slow.json()).id });
    assert.ok(!cancelled.failed, cancelled.text);
    for (const view of ["current", "historical"]) {
      const credits = await own("firecrawl_credit_usage", { view });
      assert.ok(!credits.failed, credits.text);
    }
  },
  async "curlew mcp parse"({ own, file }) {
    assert.match((await own("firecrawl_parse", { filePath: file })).text, /# Hello/);
  },
  async "curlew mcp search"({ own, site, agent }) {
    const found = await own("firecrawl_search", { query: "waders", limit: 2 });
    assert.ok(agent ? found.text.includes(`${site}/news/1`) : found.failed && found.text.includes(noSearcher), found.text);
  },
  async "curlew mcp agent"({ own, site, agent }) {
    const answer = await own("firecrawl_agent", { prompt: "What is the site called?", urls: [`${site}/`], schema: JSON.parse(schema), strictConstrainToURLs: true });
    assert.ok(agent ? answer.text.includes("The Wader Trust") : answer.failed && answer.text.includes(noModel), answer.text);
  },
  async "go agent"({ go, site, agent }) {
    const { err, text } = await go(...(agent ? ["-engines"] : []), site);
    assert.ok(!err, text);
    for (const want of ["scrape: The Wader Trust, status 200", "map: 5 URLs", "crawl: 20 pages", "batch: completed, 2 pages, 0 failed", "rule external"]) assert.ok(text.includes(want), text);
    if (!agent) assert.ok(guide.includes(`fc-secret http://127.0.0.1:3988/\n${text}\`\`\``), `docs/clients.md does not show this output:\n${text}`);
    if (agent) assert.match(text, /search: 2 hits\nagent: completed {"name":"The Wader Trust"}\nextract: failed: false/);
  },
};

let passed = 0, failed = 0;
const home = await mkdtemp(path.join(os.tmpdir(), "interop-"));
const chat = await model();
const guide = await readFile(new URL("../docs/clients.md", import.meta.url), "utf8");
const answered = { CLI: [], MCP: [], Go: [], "curlew mcp": [] }; // calls by client
try {
  const file = path.join(home, "hello.html");
  await writeFile(file, "<h1>Hello</h1><p>text</p>");
  const site = await start(crawlProgram, ["-serve", "127.0.0.1:0"]);
  const engine = await searxng(site);
  const args = ["serve", "-addr", "127.0.0.1:0", "-allow-private", "-api-key", key];
  for (const agent of [false, true]) {
    const url = await start(serverProgram, agent ? [...args, "-model-url", chat.url, "-model-mini", "m", "-searxng", engine.url] : args);
    const between = {};
    for (const name of Object.keys(answered)) between[name] = await proxy(url);
    const { tool, close } = await mcp(between["MCP"].url, home, process.execPath, [program("firecrawl-mcp")]);
    const { tool: own, close: closeOwn } = await mcp(url, home, serverProgram, ["mcp", "--remote", between["curlew mcp"].url]);
    const run = (...command) => cli(between["CLI"].url, home, command);
    const go = (...command) => new Promise((resolve) => {
      execFile(clientProgram, ["-url", between["Go"].url, "-key", key, ...command], { timeout: 300_000 }, (err, stdout, stderr) => resolve({ err, text: stdout + stderr }));
    });
    for (const [name, body] of Object.entries(tests)) {
      if (agent && !/agent|search/.test(name)) continue; // the others need no model
      try {
        await body({ url, run, tool, own, go, site, file, agent });
        passed++;
        console.log(`ok   ${name}${agent ? ", with a model" : ""}`);
      } catch (err) {
        failed++;
        console.log(`FAIL ${name}${agent ? ", with a model" : ""}\n${err.stack}`);
      }
    }
    close();
    closeOwn();
    for (const [name, p] of Object.entries(between)) {
      answered[name].push(...p.answered);
      p.close();
    }
  }
  for (const [name, all] of Object.entries(answered)) await write(name, all);
} finally {
  chat.close();
  stop();
  await rm(home, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
