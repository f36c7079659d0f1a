// SPDX-License-Identifier: Apache-2.0

// Browser tests curlew serve -chrome with the official JavaScript client, on a site
// of its own whose pages are made by scripts.
//
//	node browser.mjs CURLEW_PROGRAM
//
// CHROMIUM names the browser; if it is empty, chromium. The browser runs without its
// sandbox as root and where the kernel forbids user namespaces.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

import Firecrawl from "@mendable/firecrawl-js";

import { start, stop } from "./programs.mjs";
import { listen } from "./providers.mjs";

const [program] = process.argv.slice(2);
const key = "fc-interop-key";
const patience = Number(process.env.PATIENCE || 180_000); // a busy machine is slow
const tests = [];
const test = (name, body) => tests.push({ name, body });

const text = "The hide is open from dawn to dusk, and the key is at the warden's house. ".repeat(6);
const pages = {
  // A shell, which has no text and no links without its script.
  "/shell": `<!doctype html><title>Shell</title><div id="root"></div><script>
    document.getElementById("root").innerHTML = "<h1>Hides</h1><p>${text}</p><a href='/shell/2'>the next hide</a>"</script>`,
  "/shell/2": `<!doctype html><title>Shell 2</title><div id="root"></div><script>
    document.getElementById("root").innerHTML = "<h1>Second hide</h1><p>${text}</p>"</script>`,
  "/button": `<!doctype html><title>Button</title><style>body { margin: 0 } main { height: 3000px; overflow: hidden }</style><main><h1>Counts</h1><p>${text}</p>
    <button onclick="this.insertAdjacentHTML('afterend', '<p id=count>Forty curlews</p>')">Show</button></main>`,
};

// png returns the width and height of a PNG at a URL of the server.
async function png(url, server) {
  assert.ok(url.startsWith(`${server}/v2/files/`), url);
  const answer = await fetch(url); // without a key, because the URL is signed
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-type"), "image/png");
  const bytes = Buffer.from(await answer.arrayBuffer());
  assert.equal(bytes.toString("latin1", 1, 4), "PNG");
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

test("a shell has its text", async ({ client, site }) => {
  const doc = await client.scrape(`${site}/shell`, { timeout: patience });
  assert.match(doc.markdown, /# Hides/);
  assert.match(doc.markdown, /open from dawn to dusk/);
  assert.equal(doc.metadata.rendered, true);
  assert.equal(doc.metadata.statusCode, 200);
});

test("the format screenshot, of the window and of the full page", async ({ client, site, server }) => {
  const viewport = { width: 800, height: 600 };
  const view = await client.scrape(`${site}/button`, { formats: ["markdown", { type: "screenshot", viewport }], timeout: patience });
  assert.match(view.markdown, /# Counts/);
  assert.deepEqual(await png(view.screenshot, server), viewport);
  const full = await client.scrape(`${site}/button`, { formats: [{ type: "screenshot", fullPage: true, viewport }], timeout: patience });
  assert.deepEqual(await png(full.screenshot, server), { width: 800, height: 3000 });
  const broken = await fetch(full.screenshot.replace(/sig=..../, "sig=AAAA"));
  assert.notEqual(broken.status, 200, "a picture is read with a wrong signature");
});

test("actions: a click and a screenshot", async ({ client, site, server }) => {
  const actions = [{ type: "wait", selector: "button" }, { type: "click", selector: "button" }, { type: "wait", selector: "#count" }, { type: "screenshot" }, { type: "scrape" }];
  const doc = await client.scrape(`${site}/button`, { formats: ["markdown"], actions, timeout: patience });
  assert.match(doc.markdown, /Forty curlews/);
  assert.equal(doc.actions.screenshots.length, 1);
  assert.ok((await png(doc.actions.screenshots[0], server)).width > 0);
  assert.equal(doc.actions.scrapes.length, 1);
  assert.match(doc.actions.scrapes[0].html, /Forty curlews/);
});

test("an action that fails is an error with its code", async ({ client, site }) => {
  const failing = client.scrape(`${site}/button`, { actions: [{ type: "click", selector: "#nowhere" }], timeout: patience });
  const err = await failing.then(() => assert.fail("the call succeeded"), (e) => e);
  assert.equal(err.code, "SCRAPE_ACTION_ERROR", `${err.status} ${err.message}`);
});

test("a crawl follows the links that scripts make", async ({ client, site }) => {
  const job = await client.crawl(`${site}/shell`, { limit: 5, pollInterval: 1, timeout: patience / 1000 });
  assert.equal(job.status, "completed");
  assert.deepEqual(job.data.map((d) => d.metadata.title).sort(), ["Shell", "Shell 2"]);
  assert.ok(job.data.every((d) => d.metadata.rendered === true && /open from dawn/.test(d.markdown)));
});

let failed = 0;
try {
  const own = await listen((req, res) => {
    const page = pages[req.url];
    res.writeHead(page ? 200 : 404, { "Content-Type": "text/html; charset=utf-8" });
    res.end(page ?? "not found");
  });
  const bare = process.getuid() === 0 || spawnSync("unshare", ["-U", "true"]).status !== 0;
  const args = ["serve", "-addr", "127.0.0.1:0", "-allow-private", "-api-key", key, "-chrome", process.env.CHROMIUM || "chromium"];
  const server = await start(program, bare ? [...args, "-chrome-no-sandbox"] : args);
  const client = new Firecrawl({ apiKey: key, apiUrl: server });
  for (const { name, body } of tests) {
    try {
      await body({ client, site: own.url, server });
      console.log(`ok   ${name}`);
    } catch (err) {
      failed++;
      console.log(`FAIL ${name}\n${err.stack}`);
    }
  }
  own.close();
} finally {
  stop();
}
console.log(`${tests.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 && tests.length > 0 ? 0 : 1;
