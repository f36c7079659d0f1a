// SPDX-License-Identifier: Apache-2.0

// Console tests the console in Chromium: it starts a crawl, watches it, asks why a URL was
// left out, reads a page and a PDF, searches, runs the code of requests, cancels a job, and
// follows a value of an agent to the line that states it. It also reads a site with dead
// pages, odd titles and very long texts, and loses the connection and the key. Every view is
// checked by axe-core in light and dark and on a narrow screen. A message on the console of
// the browser, or a request to another host, is a failure.
//
//	node console.mjs CONSOLE_PROGRAM PDF [SCREENSHOT_FOLDER]
//
// CHROMIUM names the browser; if it is empty, chromium. ONLY selects the tests whose name
// contains it.

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";

import { start, stop, line } from "./programs.mjs";
import { listen, model, searxng } from "./providers.mjs";

const [program, pdf, folder] = process.argv.slice(2);
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const patience = Number(process.env.PATIENCE || 120_000); // a busy machine is slow

// find returns the path of the browser.
function find() {
  const name = process.env.CHROMIUM || "chromium";
  return path.isAbsolute(name) ? name : execFileSync("sh", ["-c", 'command -v "$1"', "sh", name], { encoding: "utf8" }).trim();
}

// serve starts the console and resolves with its URL, its key and the URL of its demo site.
async function serve(...args) {
  const url = await start(program, ["-addr", "127.0.0.1:0", ...args]);
  const [, key, site] = await line(new RegExp(`^console ${url}/\\nkey (\\S+)\\nsite (\\S+)$`, "m"));
  return { url: `${url}/`, key, site, origin: new URL(url).origin };
}

const chat = await model();
let site;
const engine = await searxng(() => site.replace(/\/$/, ""));
const whole = await serve("-pages", "10000", "-model-url", chat.url, "-model", "m", "-searxng", engine.url);
site = whole.site;
const browser = await chromium.launch({ executablePath: find(), args: ["--no-sandbox"] });
const faults = [];
let views = 0; // that axe-core has checked

// open opens the console of a server with its key. expected are patterns of messages of the
// browser about requests that fail on purpose.
async function open(name, viewport, colorScheme, { server = whole, expected = [/status of 400.*\/v2\/crawl\)$/] } = {}) {
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce", permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const meant = (m) => expected.some((p) => p.test(`${m.text()} (${m.location().url})`));
  page.on("console", (m) => { if (m.type() !== "verbose" && m.type() !== "debug" && !meant(m)) faults.push(`${name}: ${m.type()}: ${m.text()} (${m.location().url})`); });
  page.on("pageerror", (e) => faults.push(`${name}: ${e.stack}`));
  page.on("request", (r) => { if (!r.url().startsWith(server.origin) && !r.url().startsWith("blob:" + server.origin) && !r.url().startsWith("data:")) faults.push(`${name}: request to ${r.url()}`); });
  await page.goto(server.url);
  await page.fill("#key", server.key);
  // check finds what axe-core and a human would: faults of access, and a page that is wider than
  // the screen.
  const check = async (view) => {
    if (!await page.evaluate(() => "axe" in window)) {
      const session = await context.newCDPSession(page); // by the protocol, because the policy of the page forbids other scripts
      const source = await (await import("node:fs/promises")).readFile(axe, "utf8");
      await session.send("Runtime.evaluate", { expression: source });
    }
    views++;
    const found = await page.evaluate(() => axe.run(document, { iframes: false, runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
    for (const v of found.violations) faults.push(`${name}, ${view}: axe ${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary}`).join(" | ")}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wide > 0) faults.push(`${name}, ${view}: ${wide} pixels wider than the screen`);
    if (folder) await page.screenshot({ path: path.join(folder, `${name}-${view.replaceAll(" ", "-")}.png`) });
  };
  await check("key");
  await page.click("text=Open the console");
  await page.waitForSelector("text=Crawl a site");
  return { page, context, check, close: () => context.close() };
}

const go = (page, hash) => page.evaluate((h) => { location.hash = h; }, hash);
const chosen = (page, text) => page.locator(".list .item", { hasText: text }).first();

// paint prints the time until the first paint, which a busy machine makes longer, so the least
// of five counts, and the processor time that the page takes until it can be used.
async function paint(name, context) {
  let least = Infinity, cpu = Infinity;
  for (let i = 0; i < 5; i++) {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    await page.goto(whole.url);
    await page.waitForSelector("#key");
    const first = await page.evaluate(() => new Promise((done) => {
      const seen = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
      const wait = () => (seen() === undefined ? requestAnimationFrame(wait) : done(seen()));
      wait();
    }));
    least = Math.min(least, first);
    cpu = Math.min(cpu, await busy(session));
    await page.close();
  }
  console.log(`     ${name}: first paint after ${Math.round(least)} ms, the least of 5; ${Math.round(cpu)} ms of processor time until the form is there`);
  assert.ok(cpu < 1000, `${cpu} ms of processor time`);
}

// busy returns the processor time of the page's main thread, in milliseconds.
async function busy(session) {
  const { metrics } = await session.send("Performance.getMetrics");
  return 1000 * metrics.find((m) => m.name === "TaskDuration").value;
}

async function walk(name, viewport, scheme) {
  const { page, check, close } = await open(name, viewport, scheme);
  await paint(name, page.context());
  await check("home");

  // Start a crawl, and watch it to its end.
  await go(page, "#/new");
  await page.fill("#f-url", site);
  await page.fill("#f-excludePaths", "(");
  await page.click("text=Start the crawl");
  await page.waitForSelector("[data-bad] .fault:not(:empty)"); // the fault stands at its field
  await check("fault");
  await page.fill("#f-excludePaths", "^/shop/");
  await page.fill("#f-limit", "250");
  await page.check("text=The whole site");
  await check("new crawl");
  await page.click("text=Start the crawl");
  await page.waitForSelector(".badge.completed");
  await page.waitForFunction(() => document.querySelector("#tab-pages .count").textContent !== "");
  await check("crawl");
  assert.match(await page.textContent(".figures"), /Pages\s*2\d\d/);
  const job = new URL(page.url()).hash;

  // The map has the folders of the site, and opens them.
  await page.click("#tab-map");
  await chosen(page, "/birds").waitFor();
  await check("map");
  await page.click("#tab-hosts");
  await page.waitForSelector("#panel td");
  await check("hosts");

  // Ask why a URL is not there: by its link, and by name.
  await page.click("#tab-left");
  await page.fill("[aria-label='Filter the links']", "docs.demo.test");
  await chosen(page, "docs.demo.test").click();
  await page.waitForSelector("dialog code:text-is('external')");
  await check("explain");
  await page.keyboard.press("Escape");
  await page.fill("[aria-label='URL to explain']", `${site}shop/`);
  await page.click("button >> text=Why?");
  await page.waitForSelector("dialog code:text-is('excluded')");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  await check("left out");
  await page.click("#tab-errors");
  await page.waitForSelector("#panel .list");
  await check("errors");

  // The request of the job, in each language.
  await page.click("#tab-request");
  await page.waitForSelector(".request pre");
  await check("request");
  for (const [language, text] of [["Go", "client.Crawl{"], ["JavaScript", "client.crawl("], ["curl", "/v2/crawl'"]]) {
    await page.click(`.request button:text-is("${language}")`);
    await page.waitForFunction((t) => document.querySelector(".request pre").textContent.includes(t), text);
  }
  await page.click(".request button:text-is('Copy')");
  await page.waitForFunction(async () => await navigator.clipboard.readText() === document.querySelector(".request pre").textContent);

  // Read a page with the keyboard only.
  await page.click("#tab-pages");
  await page.focus("#panel .list");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  const frame = page.frameLocator("iframe");
  await frame.locator("h1").first().waitFor();
  assert.match(await page.textContent(".source"), /<!doctype html>/i);
  await check("page");
  await page.click(".head button:text-is('Request')");
  await page.waitForSelector(".request pre >> nth=1");
  await check("page request");
  await page.keyboard.press("Escape");
  await page.waitForSelector(".figures");
  assert.equal(new URL(page.url()).hash, job);

  // A PDF with its blocks.
  await go(page, "#/file");
  await page.waitForSelector("text=Drop a file here");
  await page.setInputFiles("#file", pdf);
  await page.locator(".sheet .box.k-table").first().click();
  await page.waitForSelector(".blocks .chosen >> text=table");
  await page.waitForSelector(".sheet .cell", { state: "attached" });
  await check("pdf");

  // Search, scrape a hit, come back to the hits, and go on to crawl.
  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await page.fill("[aria-label='Words to search for']", "waders");
  await page.check("text=News");
  await page.check("text=Images");
  await page.check("text=Markdown");
  await check("search form");
  await page.keyboard.press("Enter");
  await page.click(".hits summary");
  await page.frameLocator(".hits iframe").locator("h1").first().waitFor();
  await page.click("summary:text-is('The same request as code')");
  await page.waitForSelector(".request pre");
  await check("search");
  await page.click(".hits a:text-is('Scrape this') >> nth=1");
  await page.waitForSelector("h1:text-is('Note 1')");
  await page.frameLocator("iframe").locator("h1").first().waitFor();
  await check("scraped page");
  await page.keyboard.press("Escape");
  await page.click(".hits a:text-is('Crawl this') >> nth=1");
  await page.waitForFunction((u) => document.querySelector("#f-url")?.value === u, `${site}news/1`);
  await go(page, "#/search?q=nothing");
  await page.waitForSelector("text=Search the web");
  await page.fill("[aria-label='Words to search for']", "nothing");
  await page.keyboard.press("Enter");
  await page.waitForSelector("text=Nothing was found");
  await check("no hits");

  for (const [hash, text] of [["#/account", "Keys of the team demo"], ["#/audit", "success"], ["#/none", "There is no such page"]]) {
    await go(page, hash);
    await page.waitForSelector(`text=${text}`);
    await check(hash.slice(2));
  }
  await close();
}

// ask runs the agent and follows a value to its line.
async function ask() {
  const { page, check, close } = await open("agent", { width: 1440, height: 900 }, "light");
  await go(page, "#/agent");
  await page.fill("#prompt", "What is the name of the trust?");
  await page.fill("#urls", site);
  await page.check("text=Read only these pages");
  await page.click("summary");
  await page.fill("#schema", JSON.stringify({ type: "object", properties: { name: { type: "string" } } }));
  await check("question");
  await page.click("button.main >> text=Ask");
  await page.waitForSelector(".badge.completed");
  await page.click(".answer td button >> text=The Wader Trust");
  await page.waitForSelector(".cited mark >> text=The Wader Trust");
  await check("answer");
  await close();
}

// many crawls 10,000 pages, and cancels another crawl on the way.
async function many() {
  const { page, check, close } = await open("many", { width: 1440, height: 900 }, "dark");
  await page.fill("main input[inputmode=url]", `${site}more/`);
  await page.click("button.main >> text=Crawl");
  await page.waitForSelector(".figures");
  await page.waitForSelector(".badge.completed");
  await go(page, `#/new?url=${encodeURIComponent(`${site}more/`)}`);
  await page.waitForSelector("#f-limit");
  await page.fill("#f-limit", "10000");
  await page.click("text=Start the crawl");
  await page.waitForSelector(".list .item");
  await page.waitForFunction(() => Number(document.querySelector("#tab-pages .count")?.textContent.replace(/\D/g, "")) >= 10000, null, { timeout: 5 * patience });
  // Print the times, which a busy machine makes longer. Assert how many rows exist, and that the
  // processor time of a frame leaves room even on a slow machine.
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const before = await busy(session);
  const times = await page.evaluate(async () => {
    const body = document.querySelector(".list"), all = [];
    let most = 0;
    for (let i = 0; i < 60; i++) {
      const began = performance.now();
      body.scrollTop = (body.scrollHeight / 60) * i;
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      all.push((performance.now() - began) / 2);
      most = Math.max(most, document.querySelectorAll(".list .item").length);
    }
    return { middle: all.sort((a, b) => a - b)[30], longest: all.at(-1), most, height: body.scrollHeight };
  });
  const cpu = (await busy(session) - before) / 120;
  console.log(`     10,000 pages: ${cpu.toFixed(1)} ms of processor time a frame while scrolling; ${times.middle.toFixed(1)} ms from frame to frame, at most ${times.longest.toFixed(1)} ms, ${times.most} rows at once`);
  assert.ok(cpu < 100, `${cpu} ms`);
  assert.ok(times.most < 120 && times.height >= 340_000, JSON.stringify(times));
  await check("long list");

  await go(page, "#/new");
  await page.waitForSelector("#f-url");
  await page.fill("#f-url", site);
  await page.fill("#f-delay", "5");
  await page.click("text=Start the crawl");
  await page.waitForSelector(".badge.running");
  await page.keyboard.press("c");
  await page.click("dialog >> text=Cancel the job");
  await page.waitForSelector(".badge.cancelled");
  await check("cancelled");
  await close();
}

// code runs the commands and the modules that the console shows. They must do what the form does.
async function code() {
  const { page, close } = await open("code", { width: 1440, height: 900 }, "light");
  const run = async (language, text) => {
    const env = { ...process.env, CURLEW_API_KEY: whole.key };
    const [command, args] = language === "curl" ? ["sh", ["-c", text]] : [process.execPath, ["--input-type=module", "-e", text]];
    const { stdout } = await promisify(execFile)(command, args, { env, cwd: import.meta.dirname, maxBuffer: 64 << 20, timeout: patience });
    return stdout;
  };
  const read = async (language) => {
    await page.click(`.request button:text-is("${language}")`);
    return page.textContent(".request pre");
  };
  await go(page, "#/new");
  await page.fill("#f-url", `${site}news/it's`);
  await page.fill("#f-limit", "3");
  await page.fill("#f-excludePaths", "^/shop/\\d+\n'\"`$");
  await page.click("summary");
  await page.waitForFunction(() => document.querySelector(".request pre")?.textContent.includes("/shop/"));
  assert.match(await run("curl", await read("curl")), /"success":true,"id"/);
  assert.match(await run("JavaScript", await read("JavaScript")), /^completed \d/);
  await go(page, "#/search");
  await page.fill("[aria-label='Words to search for']", "it's \"waders\"");
  await page.click("summary");
  await page.waitForSelector(".request pre");
  assert.match(await run("curl", await read("curl")), /"web":\[/);
  assert.match(await run("JavaScript", await read("JavaScript")), /The Wader Trust/);
  await close();
}

// bare uses a server without a search engine and without a model.
async function bare() {
  const server = await serve();
  const { page, check, close } = await open("bare", { width: 1440, height: 900 }, "light", { server, expected: [/status of 501.*\/v2\/search\)$/] });
  await go(page, "#/search");
  await page.waitForSelector(".alert >> text=curlew serve --searxng");
  await check("search not set up");
  await page.fill("[aria-label='Words to search for']", "waders");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".alert >> text=Searches need a search provider");
  await check("search refused");
  await go(page, "#/agent");
  await page.waitForSelector("text=This server has no model");
  await check("agent not set up");
  await close();
}

const title = `<img src=x onerror="document.title='broken'"> & "quoted" </title>`;
const escaped = title.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const long = `/odd/long-${"x".repeat(1500)}`;
const slow = new Set(); // answers of /odd/slow that are held back

// odd is a site as no one would make it on purpose.
async function odd() {
  const html = (title, body) => `<!doctype html><html lang="en"><title>${title}</title><main><h1>${title}</h1>${body}</main>`;
  const pages = {
    "/odd/": html("Odd", `<p>Pages that are not as they should be.</p><ul>${["/odd/dead", "/odd/reset", "/odd/title", long, "/odd/line", "/odd/lines", "/odd/empty", "/odd/error", "http://nowhere.invalid/", "mailto:a@b.test"].map((u) => `<li><a href="${u}">${u.slice(0, 60)}</a>`).join("")}</ul>`),
    "/odd/title": html(escaped, `<p>${escaped}</p><script>document.title = "broken"</script>`),
    [long]: html("A long URL", "<p>Its path has 1,500 characters.</p>"),
    "/odd/line": html("One line of 5 MB", `<p>${"wader ".repeat(850_000)}</p>`),
    "/odd/lines": html("Many lines", Array.from({ length: 60_000 }, (_, i) => `<p>Line ${i} of a document of five million bytes, about waders of the coast and marsh.</p>`).join("\n")),
    "/odd/empty": "",
    "/slow/": html("Slow", Array.from({ length: 30 }, (_, i) => `<p><a href="/slow/${i}">${i}</a></p>`).join("")),
  };
  const server = await listen((req, res) => {
    if (req.url === "/odd/reset") { req.socket.destroy(); return; }
    if (req.url === "/robots.txt") { res.setHeader("Content-Type", "text/plain"); res.end("User-agent: *\nDisallow: /closed/\n"); return; }
    res.setHeader("Content-Type", "text/html; charset=utf-8");
    if (/^\/slow\/\d/.test(req.url)) { slow.add(() => res.end(html(`Slow ${req.url}`, "<p>It took its time.</p>"))); return; }
    const page = pages[req.url];
    res.statusCode = req.url === "/odd/error" ? 500 : page === undefined ? 404 : 200;
    res.end(page ?? html("Not found", "<p>There is no such page.</p>"));
  });
  return server;
}

// troubles shows what is broken: pages, jobs, documents, the connection and the key.
async function troubles(name, viewport, scheme) {
  const own = await odd();
  const expected = [/status of 401/, /ERR_INTERNET_DISCONNECTED/, /status of 404.*\/api\/jobs\//, /status of 404.*\/v2\/agent\/0198a7c2/, /status of 5\d\d.*\/v2\/scrape/];
  const { page, context, check, close } = await open(name, viewport, scheme, { expected });
  const crawl = async (url, more = "") => {
    await go(page, `#/new?url=${encodeURIComponent(url)}`);
    await page.waitForFunction((u) => document.querySelector("#f-url")?.value === u, url);
    if (more) await page.fill("#f-limit", more);
    await page.click("text=Start the crawl");
    await page.waitForSelector(".figures");
    return new URL(page.url()).hash;
  };
  const row = (text) => page.locator("#panel .list .item", { hasText: text }).first();

  // Pages that are dead, and documents that are too long for a screen.
  const job = await crawl(`${own.url}/odd/`);
  await page.waitForSelector(".badge.completed");
  await check("dead pages");
  await page.click("#tab-errors");
  await row("/odd/reset").waitFor();
  await check("dead pages errors");
  await page.click("#tab-map");
  await page.waitForSelector("#panel .list .item");
  await check("odd map");
  const read = async (text, view) => {
    await go(page, "#/");
    await page.waitForSelector("text=Crawl a site");
    await go(page, job);
    await row(text).click();
    await page.waitForSelector(".source");
    await page.frameLocator("iframe").locator("h1").first().waitFor();
    const began = Date.now();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    console.log(`     ${name}, ${view}: a frame after ${Date.now() - began} ms`);
    await check(view);
  };
  await read("/odd/title", "title with HTML");
  assert.match(await page.textContent("h1"), /<img src=x onerror=/);
  assert.match(await page.title(), /curlew/); // no script of the page has run
  await read("/odd/long-x", "long URL");
  await read("/odd/line", "long line");
  await page.click(".head button:text-is('Markdown')");
  await page.waitForSelector(".source button >> text=Show more");
  await check("long line as Markdown");
  await read("/odd/lines", "many lines");
  await page.click(".source button >> text=Show more");
  await page.waitForFunction(() => document.querySelectorAll(".source > div").length > 2500);

  // Jobs without pages.
  await crawl(`${own.url}/closed/`);
  await page.waitForSelector(".badge.completed");
  await page.waitForSelector("text=The job has no pages");
  await check("empty job");
  await page.click("#tab-map");
  await page.click("#tab-left");
  await page.waitForSelector("#panel >> text=The job has no pages");
  await crawl("http://127.0.0.1:9/");
  await page.waitForSelector(".badge.completed, .badge.failed");
  await check("failed job");
  await page.click("#tab-errors");
  await check("failed job errors");
  await go(page, "#/agent");
  await page.fill("#prompt", "What is broken?");
  await page.fill("#urls", site);
  await page.click("button.main >> text=Ask");
  await page.waitForSelector(".badge.failed");
  await page.waitForSelector(".alert.bad"); // the reason
  await page.click("summary:text-is('Request')");
  await page.waitForSelector(".request pre");
  await check("failed agent");
  await go(page, "#/job/0198a7c2-0000-7000-8000-000000000000");
  await page.waitForSelector(".alert.bad >> text=There is no such job");
  await check("no such job");
  await go(page, "#/agent/0198a7c2-0000-7000-8000-000000000000");
  await page.waitForSelector(".fault >> text=Job not found");
  assert.equal(await page.locator("main .badge:visible, main button:visible >> text=/^(Finish now|Cancel)$/").count(), 0);
  await check("no such agent");
  await go(page, "#/scrape?url=http%3A%2F%2F127.0.0.1%3A9%2F");
  await page.waitForSelector(".alert.bad");
  await check("failed scrape");

  // The connection is lost while a crawl is watched, and comes back.
  await crawl(`${own.url}/slow/`);
  await row("/slow/").waitFor();
  await context.setOffline(true);
  await page.waitForSelector(".alert.bad >> text=The server does not answer");
  await check("connection lost");
  await context.setOffline(false);
  const release = setInterval(() => { for (const send of slow) send(); slow.clear(); }, 50);
  await page.waitForSelector(".badge.completed");
  clearInterval(release);
  await page.waitForFunction(() => document.querySelector("#tab-pages .count").textContent === "31");
  assert.equal(await page.locator(".alert.bad").count(), 0);

  // The key expires.
  await page.route("**/console/api/**", (route) => route.fulfill({ status: 401, contentType: "application/json", body: '{"success":false,"error":"This server does not know the key."}' }));
  await go(page, "#/");
  await page.waitForSelector("text=The server no longer accepts the key");
  await page.waitForSelector("#key");
  await page.fill("#key", "wrong");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".fault >> text=does not know the key");
  await check("key refused");
  await close();
  own.close();
}

let failed = 0, run = 0;
try {
  for (const [name, test] of [
    ["light: start, watch, explain, read", () => walk("light", { width: 1440, height: 900 }, "light")],
    ["dark: the same", () => walk("dark", { width: 1440, height: 900 }, "dark")],
    ["narrow: the same", () => walk("narrow", { width: 390, height: 844 }, "light")],
    ["the code of requests", code],
    ["a server without engines", bare],
    ["troubles", () => troubles("troubles", { width: 1440, height: 900 }, "light")],
    ["troubles on a narrow screen", () => troubles("narrow troubles", { width: 390, height: 844 }, "dark")],
    ["the agent: from a value to its line", ask],
    ["10,000 pages, and a crawl that is cancelled", many],
  ].filter(([name]) => name.includes(process.env.ONLY ?? ""))) {
    run++;
    try {
      await test();
      assert.deepEqual(faults.splice(0), []);
      console.log(`ok   console, ${name}`);
    } catch (err) {
      failed++;
      console.log(`FAIL console, ${name}\n${err.stack}\n${faults.splice(0).join("\n")}`);
    }
  }
} finally {
  await browser.close();
  stop();
}
console.log(`${run - failed} passed, ${failed} failed; axe-core checked ${views} views`);
process.exit(failed === 0 ? 0 : 1); // the servers of this script are open
