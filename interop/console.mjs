// SPDX-License-Identifier: Apache-2.0

// Console tests the console in Chromium: it starts a crawl, watches it, asks why a URL was
// left out, reads a page and a PDF, cancels a job, and follows a value of an agent to the
// line that states it. Every view is checked by axe-core in light and dark and on a narrow
// screen. A message on the console of the browser, or a request to another host, is a
// failure.
//
//	node console.mjs CONSOLE_PROGRAM PDF [SCREENSHOT_FOLDER]
//
// CHROMIUM names the browser; if it is empty, chromium.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { chromium } from "playwright-core";

import { start, stop, line } from "./programs.mjs";
import { model } from "./providers.mjs";

const [program, pdf, folder] = process.argv.slice(2);
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const patience = Number(process.env.PATIENCE || 120_000); // a busy machine is slow

// find returns the path of the browser.
function find() {
  const name = process.env.CHROMIUM || "chromium";
  return path.isAbsolute(name) ? name : execFileSync("sh", ["-c", 'command -v "$1"', "sh", name], { encoding: "utf8" }).trim();
}

const chat = await model();
await start(program, ["-addr", "127.0.0.1:0", "-pages", "10000", "-model-url", chat.url, "-model", "m"]);
const url = (await line(/^console (\S+)$/m))[1], key = (await line(/^key (\S+)$/m))[1], site = (await line(/^site (\S+)$/m))[1];
const home = new URL(url);
const browser = await chromium.launch({ executablePath: find(), args: ["--no-sandbox"] });
const faults = [];

// open opens the console with its key.
async function open(name, viewport, colorScheme) {
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  // The browser itself reports the status of the request that is wrong on purpose.
  const meant = (m) => m.text().includes("status of 400") && m.location().url.endsWith("/v2/crawl");
  page.on("console", (m) => { if (m.type() !== "verbose" && m.type() !== "debug" && !meant(m)) faults.push(`${name}: ${m.type()}: ${m.text()} (${m.location().url})`); });
  page.on("pageerror", (e) => faults.push(`${name}: ${e.stack}`));
  page.on("request", (r) => { if (!r.url().startsWith(home.origin) && !r.url().startsWith("blob:" + home.origin) && !r.url().startsWith("data:")) faults.push(`${name}: request to ${r.url()}`); });
  await page.goto(url);
  await page.fill("#key", key);
  // check finds what axe-core and a human would: faults of access, and a page that is wider than
  // the screen.
  const check = async (view) => {
    if (!await page.evaluate(() => "axe" in window)) {
      const session = await context.newCDPSession(page); // by the protocol, because the policy of the page forbids other scripts
      const source = await (await import("node:fs/promises")).readFile(axe, "utf8");
      await session.send("Runtime.evaluate", { expression: source });
    }
    const found = await page.evaluate(() => axe.run(document, { iframes: false, runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
    for (const v of found.violations) faults.push(`${name}, ${view}: axe ${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary}`).join(" | ")}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wide > 0) faults.push(`${name}, ${view}: ${wide} pixels wider than the screen`);
    if (folder) await page.screenshot({ path: path.join(folder, `${name}-${view.replaceAll(" ", "-")}.png`) });
  };
  await check("key");
  await page.click("text=Open the console");
  await page.waitForSelector("text=Crawl a site");
  return { page, check, close: () => context.close() };
}

const go = (page, hash) => page.evaluate((h) => { location.hash = h; }, hash);
const chosen = (page, text) => page.locator(".list .item", { hasText: text }).first();

async function walk(name, viewport, scheme) {
  const { page, check, close } = await open(name, viewport, scheme);
  const first = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  console.log(`     ${name}: first paint after ${Math.round(first)} ms`);
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

  // Read a page with the keyboard only.
  await page.click("#tab-pages");
  await page.focus("#panel .list");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  const frame = page.frameLocator("iframe");
  await frame.locator("h1").first().waitFor();
  assert.match(await page.textContent(".source"), /<!doctype html>/i);
  await check("page");
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
  // Every painted row counts as one frame. Print the longest, and assert only that few rows exist.
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
  console.log(`     10,000 pages: ${times.middle.toFixed(1)} ms a frame while scrolling, the longest ${times.longest.toFixed(1)} ms, ${times.most} rows at once`);
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

let failed = 0, run = 0;
try {
  for (const [name, test] of [
    ["light: start, watch, explain, read", () => walk("light", { width: 1440, height: 900 }, "light")],
    ["dark: the same", () => walk("dark", { width: 1440, height: 900 }, "dark")],
    ["narrow: the same", () => walk("narrow", { width: 390, height: 844 }, "light")],
    ["the agent: from a value to its line", ask],
    ["10,000 pages, and a crawl that is cancelled", many],
  ]) {
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
console.log(`${run - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1); // the servers of this script are open
