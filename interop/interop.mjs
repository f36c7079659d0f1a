// SPDX-License-Identifier: Apache-2.0

// Interop tests curlew serve with the official JavaScript client on the demo
// site. It starts both programs itself:
//
//	node interop.mjs CURLEW_PROGRAM CRAWL_PROGRAM
//
// A proxy between client and server records the requests, because a watcher that
// falls back to polling must count as a failure.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { Validator } from "@seriousme/openapi-schema-validator";
import { WebSocket } from "undici";

import { write } from "./matrix.mjs";
import { start, stop } from "./programs.mjs";
import { model, searxng } from "./providers.mjs";
import { proxy } from "./proxy.mjs";

// Node 20 has no WebSocket, and without one the client polls silently.
globalThis.WebSocket ??= WebSocket;
const { default: Firecrawl, SdkError, JobTimeoutError } = await import("@mendable/firecrawl-js");

const [serverProgram, crawlProgram] = process.argv.slice(2);
const key = "fc-interop-key";
const tests = [];

const test = (name, body) => tests.push({ name, body });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// refused checks that call fails with an error of the client's own class.
async function refused(call, status, code) {
  const err = await call.then(() => assert.fail("the call succeeded"), (e) => e);
  assert.ok(err instanceof SdkError, `${err} is no SdkError`);
  assert.equal(err.status, status, err.message);
  if (code !== undefined) assert.equal(err.code, code);
  return err;
}

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const urls = (docs) => docs.map((d) => d.metadata.sourceURL);

test("crawl waits for the end and brings every page once", async ({ client, site }) => {
  const job = await client.crawl(site, { limit: 120, pollInterval: 1 });
  assert.equal(job.status, "completed");
  assert.equal(job.completed, 120);
  assert.equal(job.total, 120);
  assert.equal(job.data.length, 120);
  assert.equal(new Set(urls(job.data)).size, 120);
  assert.equal(job.creditsUsed, 120);
  assert.equal(job.next ?? null, null);
  const front = job.data.find((d) => d.metadata.sourceURL === site); // the URL of the request, unchanged
  assert.match(front.markdown, /# The Wader Trust/);
  assert.equal(front.metadata.title, "The Wader Trust");
  assert.equal(front.metadata.statusCode, 200);
});

test("startCrawl, getCrawlStatus with paging, getCrawlErrors", async ({ client, site }) => {
  const started = await client.startCrawl(site, { limit: 150, scrapeOptions: { formats: ["markdown", "links"], onlyMainContent: false } });
  assert.match(started.id, uuid7);
  assert.ok(started.url.endsWith(`/v2/crawl/${started.id}`));
  let status;
  do {
    await sleep(100);
    status = await client.getCrawlStatus(started.id, { autoPaginate: false });
  } while (status.status === "scraping");
  assert.equal(status.status, "completed");
  assert.equal(status.data.length, 100);
  assert.match(status.next, /^http:\/\/.*skip=100/);
  const all = await client.getCrawlStatus(started.id);
  assert.equal(all.data.length, 150);
  assert.equal(new Set(urls(all.data)).size, 150);
  assert.ok(all.data.every((d) => Array.isArray(d.links) && typeof d.markdown === "string"));
  const some = await client.getCrawlStatus(started.id, { maxResults: 110 });
  assert.equal(some.data.length, 110);
  const { errors, robotsBlocked } = await client.getCrawlErrors(started.id);
  assert.ok(Array.isArray(errors));
  assert.ok(robotsBlocked.includes(site + "/private/ledger"), robotsBlocked.join());
});

test("cancelCrawl, getActiveCrawls", async ({ client, site }) => {
  const { id } = await client.startCrawl(site, { delay: 1, limit: 50 });
  const { crawls } = await client.getActiveCrawls();
  const mine = crawls.find((c) => c.id === id);
  assert.equal(mine.url, site + "/");
  assert.equal(mine.options.limit, 50);
  assert.equal(await client.cancelCrawl(id), true);
  assert.equal(await client.cancelCrawl(id), true);
  const status = await client.getCrawlStatus(id);
  assert.equal(status.status, "cancelled");
  assert.equal(status.total, status.completed);
  assert.ok(!(await client.getActiveCrawls()).crawls.some((c) => c.id === id));
});

test("the watcher lives on the WebSocket alone", async ({ client, site, seen }) => {
  const { id } = await client.startCrawl(site, { delay: 0.05, limit: 20, sitemap: "skip" });
  const from = seen.length;
  const watcher = client.watcher(id, { pollInterval: 1, timeout: 60 });
  const documents = [];
  watcher.on("document", (d) => documents.push(d));
  const done = new Promise((resolve, reject) => {
    watcher.on("done", resolve);
    watcher.on("error", (e) => reject(new Error(e.error)));
  });
  await watcher.start();
  const end = await done;
  assert.equal(end.status, "completed");
  assert.equal(end.completed, 20);
  assert.equal(end.data.length, 20);
  assert.equal(documents.length, 20);
  const during = seen.slice(from);
  assert.ok(during.includes(`UPGRADE /v2/crawl/${id}`), during.join());
  assert.ok(!during.some((s) => s.startsWith("GET")), `the client polled: ${during.join()}`);
});

test("the watcher of an ended and of a cancelled crawl", async ({ client, site }) => {
  const ended = await client.crawl(site, { limit: 3, pollInterval: 1 });
  const cancelled = await client.startCrawl(site, { delay: 5, limit: 50 });
  await client.cancelCrawl(cancelled.id);
  for (const [id, want] of [[ended.id, "completed"], [cancelled.id, "cancelled"]]) {
    const watcher = client.watcher(id, { timeout: 30 });
    const done = new Promise((resolve) => watcher.on("done", resolve));
    await watcher.start();
    assert.equal((await done).status, want);
  }
});

test("scrape", async ({ client, site }) => {
  const doc = await client.scrape(site + "/birds/curlew", { formats: ["markdown", "html", "rawHtml", "links", "images"], onlyMainContent: true });
  assert.match(doc.markdown, /# Family curlew/);
  assert.match(doc.markdown, /\| Kind \| Wing, cm \|/);
  assert.match(doc.html, /<h1>/);
  assert.match(doc.rawHtml, /<!doctype html>/i);
  assert.ok(doc.links.includes(site + "/birds/curlew/curlew-1"));
  assert.deepEqual(doc.images, []);
  assert.equal(doc.metadata.language, "en");
  const missing = await client.scrape(site + "/nowhere");
  assert.equal(missing.metadata.statusCode, 404);
});

test("parse", async ({ client }) => {
  const html = await client.parse({ data: "<h1>Title</h1><p>Text &amp; more</p>", filename: "a.html", contentType: "text/html" });
  assert.match(html.markdown, /# Title/);
  assert.equal(html.metadata.sourceURL, "a.html");
  const csv = await client.parse({ data: "a,b\n1,2\n", filename: "t.csv", contentType: "text/csv" }, { formats: ["markdown", "html"] });
  assert.match(csv.markdown, /\| a \| b \|/);
  const json = await client.parse({ data: Buffer.from('{"a":[1,2]}'), filename: "t.json" });
  assert.match(json.markdown, /```json/);
  const md = await client.parse({ data: "# Hi\n", filename: "t.md" });
  assert.equal(md.markdown.trim(), "# Hi");
  await refused(client.parse({ data: Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]), filename: "p.png" }), 400, "UNSUPPORTED_FILE_TYPE");
});

test("map", async ({ client, site }) => {
  const { links } = await client.map(site, { limit: 500 });
  const found = links.map((l) => l.url);
  assert.ok(found.includes(site + "/birds/curlew/curlew-1"), "a page of the sitemap");
  assert.ok(found.includes(site + "/reserves/"), "a link of the front page");
  assert.equal(new Set(found).size, found.length);
  assert.equal((await client.map(site, { limit: 5 })).links.length, 5);
});

test("batchScrape", async ({ client, site }) => {
  const list = [1, 2, 3, 4, 5].map((n) => `${site}/news/${n}`);
  const job = await client.batchScrape(list, { options: { formats: ["markdown"] }, pollInterval: 1 });
  assert.equal(job.status, "completed");
  assert.deepEqual(new Set(urls(job.data)), new Set(list));
  const started = await client.startBatchScrape([...list, "no url at all"], { ignoreInvalidURLs: true });
  assert.deepEqual(started.invalidURLs, ["no url at all"]);
  let status;
  do {
    await sleep(50);
    status = await client.getBatchScrapeStatus(started.id);
  } while (status.status === "scraping");
  assert.equal(status.completed, 5);
  assert.deepEqual((await client.getBatchScrapeErrors(started.id)).errors, []);
});

test("account", async ({ client }) => {
  assert.equal(typeof (await client.getConcurrency()).maxConcurrency, "number");
  assert.equal(typeof (await client.getCreditUsage()).remainingCredits, "number");
  assert.equal(typeof (await client.getTokenUsage()).remainingTokens, "number");
  assert.ok(Array.isArray((await client.getCreditUsageHistorical()).periods));
  assert.ok(Array.isArray((await client.getTokenUsageHistorical()).periods));
  const queue = await client.getQueueStatus();
  assert.equal(queue.jobsInQueue, queue.activeJobsInQueue + queue.waitingJobsInQueue);
});

test("search: sources, pages of the hits, and a server without a provider", async ({ client, rich, site }) => {
  await refused(client.search("waders"), 501, "ENGINE_NOT_CONFIGURED");
  const found = await rich.search("waders", { limit: 2, sources: ["web", { type: "news" }, "images"], location: "Leeds" });
  assert.deepEqual(found.web.map((h) => [h.url, h.title, h.description, h.position]), [[`${site}/`, "The Wader Trust", "Waders of the coast.", 1], [`${site}/news/1`, "Note 1", "The first note.", 2]]);
  assert.equal(found.news[0].snippet, "The first note.");
  assert.equal(found.images[0].imageWidth, 640);
  assert.match(found.warning, /place of a searcher/);
  const pages = await rich.search("waders", { limit: 1, scrapeOptions: { formats: ["markdown", "links"] } });
  assert.match(pages.web[0].markdown, /# The Wader Trust/);
  assert.equal(pages.web[0].title, "The Wader Trust");
  assert.equal(pages.web[0].metadata.sourceURL, `${site}/`);
  assert.ok(Array.isArray(pages.web[0].links));
  await refused(rich.search("waders", { limit: 101 }), 400, "BAD_REQUEST");
});

test("extract: to its end, by steps, and a server without a model", async ({ client, rich, site }) => {
  const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  await refused(client.startExtract({ urls: [site], prompt: "p" }), 501, "ENGINE_NOT_CONFIGURED");
  const done = await rich.extract({ urls: [`${site}/`], prompt: "What is the site called?", schema, showSources: true, pollInterval: 1, timeout: 60 });
  assert.equal(done.status, "completed", JSON.stringify(done));
  assert.deepEqual(done.data, { name: "The Wader Trust" });
  assert.deepEqual(done.sources, { name: [`${site}/`] });
  assert.ok(Number.isInteger(done.creditsUsed) && done.expiresAt);
  const started = await rich.startExtract({ urls: [`${site}/`, "ftp://nowhere"], schema });
  assert.match(started.id, uuid7);
  assert.deepEqual(started.invalidURLs, ["ftp://nowhere"]);
  assert.equal((await rich.getExtractStatus(started.id)).success, true);
  await refused(rich.getExtractStatus("018f4f7e-0000-7000-8000-000000000000"), 404);
  await refused(rich.startExtract({}), 400, "BAD_REQUEST");
});

test("agent: to its end, and cancelled", async ({ rich, site }) => {
  const asked = { urls: [`${site}/`], prompt: "What is the site called?", schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } };
  const done = await rich.agent({ ...asked, pollInterval: 1, timeout: 60 });
  assert.equal(done.status, "completed", JSON.stringify(done));
  assert.deepEqual(done.data, { name: "The Wader Trust" });
  const { id } = await rich.startAgent({ ...asked, prompt: "Name the site, slowly." }); // the model does not answer this
  assert.equal(await rich.cancelAgent(id), true);
});

test("the error classes", async ({ client, site, url }) => {
  const stranger = new Firecrawl({ apiKey: "fc-unknown", apiUrl: url });
  await refused(stranger.startCrawl(site), 401);
  const bad = await refused(client.startCrawl(site, { limit: 0 }), 400, "BAD_REQUEST");
  assert.deepEqual(bad.details[0].path, ["limit"]);
  await refused(client.getCrawlStatus("018f4f7e-0000-7000-8000-000000000000"), 404);
  await refused(client.getCrawlStatus("abc"), 400);
  await refused(client.startCrawl(site, { zeroDataRetention: true }), 403);
  await refused(client.startAgent({ prompt: "Which birds nest here?" }), 501, "ENGINE_NOT_CONFIGURED");
  const slow = await client.crawl(site, { delay: 5, limit: 50, pollInterval: 1, timeout: 1 }).then(() => assert.fail("no timeout"), (e) => e);
  assert.ok(slow instanceof JobTimeoutError, `${slow}`);
  await client.cancelCrawl(slow.jobId);
});

test("the example in docs/clients.md", async ({ site, url }) => {
  const guide = await readFile(new URL("../docs/clients.md", import.meta.url), "utf8");
  const [, code, output] = guide.match(/```js\n(.*?)```\n\n```\n(.*?)```/s);
  const here = code.replaceAll("http://127.0.0.1:3002", url).replaceAll("http://127.0.0.1:3988", site).replaceAll("fc-secret", key);
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", here], { cwd: new URL(".", import.meta.url), timeout: 120_000 });
  assert.equal(stdout, output);
});

test("the description is valid OpenAPI 3.1", async ({ url }) => {
  const answer = await fetch(`${url}/openapi.json`); // without a key
  assert.equal(answer.status, 200);
  const description = await answer.json();
  assert.equal(description.servers[0].url, url);
  const validator = new Validator();
  const found = await validator.validate(description);
  assert.ok(found.valid, JSON.stringify(found.errors));
  assert.equal(validator.version, "3.1");
});

let failed = 0;
try {
  const site = await start(crawlProgram, ["-serve", "127.0.0.1:0"]);
  const server = await start(serverProgram, ["serve", "-addr", "127.0.0.1:0", "-allow-private", "-api-key", key]);
  const between = await proxy(server);
  const [chat, engine] = [await model(), await searxng(site)];
  const richer = await start(serverProgram, ["serve", "-addr", "127.0.0.1:0", "-allow-private", "-api-key", key, "-model-url", chat.url, "-model-mini", "m", "-searxng", engine.url]);
  const betweenRicher = await proxy(richer);
  const rich = new Firecrawl({ apiKey: key, apiUrl: betweenRicher.url });
  const client = new Firecrawl({ apiKey: key, apiUrl: between.url });
  for (const { name, body } of tests) {
    try {
      await body({ client, rich, site, url: between.url, seen: between.seen });
      console.log(`ok   ${name}`);
    } catch (err) {
      failed++;
      console.log(`FAIL ${name}\n${err.stack}`);
    }
  }
  await write("JavaScript", [...between.answered, ...betweenRicher.answered]);
  between.close();
  betweenRicher.close();
} finally {
  stop();
}
console.log(`${tests.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 && tests.length > 0 ? 0 : 1;
