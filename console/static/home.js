// The home page with the jobs, and the form for a new crawl.

import { h, put, setText, call, num, count, duration, ago, badge, shortURL, shorten, keepTrying, pause, VirtualList, Failed } from "./lib.js";
import { codeOf, requestView } from "./request.js";

const kinds = { crawl: "Crawl", batch_scrape: "Batch", agent: "Agent", extract: "Extract" };

// home shows the jobs, the state of the server, and a field to crawl a site.
export function home(main, { signal, navigate }) {
  const url = h("input", { type: "text", inputmode: "url", placeholder: "https://example.com/docs/", "aria-label": "URL of a site to crawl", autocomplete: "off", spellcheck: "false" });
  const form = h("form", { class: "stack" }, h("h1", null, "Crawl a site"), h("div", { class: "big" }, url, h("button", { class: "main" }, "Crawl")),
    h("p", { class: "muted small" }, "The first 100 pages, at the pace that the site allows. ", h("a", { href: "#/new" }, "All options")));
  const fault = h("p", { class: "fault", role: "alert" });
  form.append(fault);
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    fault.textContent = "";
    try {
      const r = await call("/v2/crawl", { method: "POST", json: { url: withScheme(url.value), limit: 100, scrapeOptions: { formats: ["markdown", "links"] }, origin: "console" } });
      navigate(`#/job/${r.id}`);
    } catch (err) { fault.textContent = err.message; }
  });

  let all = [], state = "", filter = "";
  const search = h("input", { type: "search", placeholder: "Filter (press /)", "aria-label": "Filter the jobs", class: "push", oninput: () => { filter = search.value.toLowerCase(); show(); } });
  search.style.maxWidth = "220px";
  const stateButtons = [["", "All"], ["running", "Running"], ["completed", "Completed"], ["failed", "Failed"], ["cancelled", "Cancelled"]].map(([id, text]) => {
    const number = h("span", { class: "muted num" });
    return { id, number, el: h("button", { type: "button", onclick: () => { state = id; show(); } }, text, number) };
  });
  const list = new VirtualList({
    label: "Jobs", cols: "110px 70px minmax(0, 1fr) 120px 90px 110px", narrow: "105px minmax(0, 1fr) 74px", height: 40,
    columns: [{ title: "State" }, { title: "Kind", class: "wide-only" }, { title: "Task" }, { title: "Pages", class: "right" }, { title: "Failed", class: "right wide-only" }, { title: "Started", class: "right wide-only" }],
    draw: (j) => [h("span", null, badge(j.state)), h("span", { class: "wide-only muted" }, kinds[j.kind] ?? j.kind), h("span", { title: shorten(j.prompt || j.url) }, shorten(j.prompt || shortURL(j.url ?? "") || j.id)),
      h("span", { class: "right" }, j.kind === "agent" || j.kind === "extract" ? count(j.credits, "credit") : j.total > j.delivered && j.state === "running" ? `${num(j.delivered)} / ${num(j.total)}` : num(j.delivered)),
      h("span", { class: `right wide-only ${j.failed ? "bad" : "muted"}` }, num(j.failed)), h("span", { class: "right wide-only muted" }, ago(j.created))],
    open: (j) => navigate(j.kind === "agent" || j.kind === "extract" ? `#/agent/${j.id}${j.kind === "extract" ? "?extract" : ""}` : `#/job/${j.id}`),
    none: "Loading …",
  });
  const show = () => {
    for (const b of stateButtons) {
      b.el.className = b.id === state ? "" : "quiet";
      b.el.setAttribute("aria-pressed", b.id === state);
      setText(b.number, num(b.id ? all.filter((j) => j.state === b.id).length : all.length));
    }
    list.setEmpty(all.length ? "No job matches." : "There are no jobs yet. Crawl a site above, or start a job over the API.");
    list.set(all.filter((j) => (!state || j.state === state) && (!filter || `${j.url} ${j.prompt} ${j.id}`.toLowerCase().includes(filter))));
  };

  const health = h("section", { class: "panel stack", "aria-labelledby": "health" });
  const trouble = h("p", { class: "fault", role: "status" });
  put(main, form, h("div", { class: "columns" },
    h("section", { class: "stack", "aria-labelledby": "jobs" }, h("h2", { id: "jobs" }, "Jobs"), h("div", { class: "row", role: "group", "aria-label": "Show jobs" }, stateButtons.map((b) => b.el), search), list.el, trouble), health));
  let shown; // the jobs in the list, so that it is painted only after a change
  keepTrying(signal, async () => {
    const began = performance.now();
    const [jobs, queue, system] = await Promise.all([call("api/jobs", { signal: signal }), call("/v2/team/queue-status", { signal: signal }), call("api/system", { signal: signal })]);
    const now = JSON.stringify(jobs.jobs);
    if (now !== shown) { shown = now; all = jobs.jobs; show(); }
    paintHealth(health, system, queue, jobs.more);
    // A server with very many jobs needs long for the list, and would do nothing else.
    await pause(Math.max(all.some((j) => j.state === "running") ? 1000 : 3000, 5 * (performance.now() - began)), signal);
  }, (text) => { trouble.textContent = text; });
  return { keys: () => false };
}

function paintHealth(el, s, q, more) {
  const has = (on, yes, no) => h("dd", { class: on ? "" : "muted" }, on ? yes : no);
  put(el, h("div", { class: "row" }, h("h2", { id: "health" }, "Server"), h("span", { class: `badge push ${s.ready ? "completed" : "failed"}` }, s.ready ? "Ready" : "Not ready")),
    s.ready ? null : h("p", { class: "alert bad" }, s.why),
    h("dl", { class: "pairs" },
      h("dt", null, "Working on"), h("dd", { class: "num" }, `${num(q.activeJobsInQueue)} of at most ${num(q.maxConcurrency)} pages`),
      h("dt", null, "Waiting"), h("dd", { class: "num" }, count(q.waitingJobsInQueue, "page")),
      h("dt", null, "Up for"), h("dd", { class: "num" }, duration(s.uptime)),
      s.version ? [h("dt", null, "Version"), h("dd", null, s.version)] : null,
      h("dt", null, "Jobs"), has(s.engines.store, "survive a restart", "in memory only: serve with a data folder"),
      h("dt", null, "Agent"), has(s.engines.agent, "ready", "needs a model"),
      h("dt", null, "Search"), has(s.engines.search, "ready", "needs SearXNG or a provider"),
      h("dt", null, "Scans"), has(s.engines.ocr, "read by OCR", "no OCR engine"),
      more ? [h("dt", null, "Older jobs"), h("dd", null, `${num(more)} not listed`)] : null));
}

// withScheme adds https:// to a URL without a scheme, such as example.com/docs.
export const withScheme = (text) => { const t = text.trim(); return t && !/^[a-z][a-z0-9+.-]*:/i.test(t) || /^[^/]*:\d+(\/|$)/.test(t) && !/^[a-z]+:\/\//i.test(t) ? `https://${t}` : t; };

// newCrawl is the form for a crawl with its options.
export function newCrawl(main, { signal, query, server, navigate }) {
  const fields = {};
  const field = (name, label, input, hint, all) => {
    input.id = `f-${name}`;
    const fault = h("span", { class: "fault", id: `x-${name}` });
    input.setAttribute("aria-describedby", `x-${name}`);
    fields[name] = { input, fault, el: h("div", { class: `field ${all ? "all" : ""}` }, h("label", { for: input.id }, label), input, hint ? h("span", { class: "hint" }, hint) : null, fault) };
    return fields[name].el;
  };
  const text = (more) => h("input", { type: "text", autocomplete: "off", spellcheck: "false", ...more });
  const whole = (more) => h("input", { type: "number", min: 0, step: 1, ...more });
  const check = (name, label, hint, on) => {
    const input = h("input", { type: "checkbox", checked: on });
    fields[name] = { input, fault: h("span") };
    return h("label", { class: "check" }, input, h("span", null, label, hint ? h("span", { class: "hint" }, ` ${hint}`) : null));
  };
  const area = (hint) => h("textarea", { class: "mono", rows: 2, spellcheck: "false", placeholder: hint });

  const fault = h("div", { role: "alert" });
  const code = requestView(null, signal);
  const form = h("form", { class: "stack wide" },
    h("h1", null, "New crawl"),
    h("div", { class: "fields" },
      field("url", "URL", text({ inputmode: "url", placeholder: "https://example.com/docs/", value: query.get("url") ?? "", required: true }), "Pages at and below this path are followed.", true),
      field("limit", "Pages at most", whole({ min: 1, value: 100 }), "Exact at any concurrency"),
      field("maxDiscoveryDepth", "Depth at most", whole({ placeholder: "no limit" }), "Links from the start page"),
      field("delay", "Delay between requests", h("input", { type: "number", min: 0, max: 60, step: "any", placeholder: "as the site needs" }), "Seconds, for each host"),
      field("maxConcurrency", "Pages at once", whole({ min: 1, placeholder: "as the key allows" })),
      field("includePaths", "Only paths that match", area("^/docs/"), "Regular expressions, one a line", true),
      field("excludePaths", "No paths that match", area("/print$"), "Regular expressions, one a line", true),
      field("sitemap", "Sitemap", h("select", null, h("option", { value: "include" }, "Use it, and follow links"), h("option", { value: "only" }, "Use only the sitemap"), h("option", { value: "skip" }, "Do not use it"))),
      server.engines.agent ? field("prompt", "Or say what you want", area("Only the pages about prices"), "A model sets the options that you leave empty.", true) : null),
    h("div", { class: "fields" },
      h("div", null, h("h2", null, "Follow"), check("crawlEntireDomain", "The whole site", "not only below the path"), check("allowSubdomains", "Subdomains"), check("allowExternalLinks", "Links to other sites"), check("ignoreQueryParameters", "Treat URLs alike that differ in the query")),
      h("div", null, h("h2", null, "Keep"), h("label", { class: "check" }, h("input", { type: "checkbox", checked: true, disabled: true }), h("span", null, "Markdown")), check("links", "Links", "needed to list what was left out", true), check("html", "Cleaned HTML"), check("rawHtml", "HTML as it was sent", "to read it beside the result", true)),
      h("div", null, h("h2", null, "How"), check("onlyMainContent", "Only the main content", "no menus and footers", true), check("zeroDataRetention", "Keep nothing on disk"))),
    fault, h("div", { class: "row" }, h("button", { class: "main" }, "Start the crawl")),
    h("details", null, h("summary", null, "The same request as code"), code.el));

  const request = () => {
    const v = (name) => fields[name]?.input.value.trim() ?? "";
    const on = (name) => fields[name].input.checked;
    const body = { url: withScheme(v("url")) };
    for (const name of ["limit", "maxDiscoveryDepth", "delay", "maxConcurrency"]) if (v(name) !== "") body[name] = Number(v(name));
    for (const name of ["includePaths", "excludePaths"]) { const l = v(name).split("\n").map((s) => s.trim()).filter(Boolean); if (l.length) body[name] = l; }
    if (v("sitemap") !== "include") body.sitemap = v("sitemap");
    if (v("prompt")) body.prompt = v("prompt");
    for (const name of ["crawlEntireDomain", "allowSubdomains", "allowExternalLinks", "ignoreQueryParameters", "zeroDataRetention"]) if (on(name)) body[name] = true;
    body.scrapeOptions = { formats: ["markdown", ...["links", "html", "rawHtml"].filter(on)] };
    if (!on("onlyMainContent")) body.scrapeOptions.onlyMainContent = false;
    return body;
  };
  const details = form.querySelector("details");
  const updateCode = () => { if (details.open) code.update(() => codeOf("crawl", request(), signal)); };
  details.addEventListener("toggle", updateCode);
  form.addEventListener("change", updateCode);
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    for (const f of Object.values(fields)) { f.fault.textContent = ""; f.el?.removeAttribute("data-bad"); f.input.removeAttribute("aria-invalid"); }
    put(fault);
    const button = form.querySelector("button.main");
    button.disabled = true;
    try {
      const r = await call("/v2/crawl", { method: "POST", json: { ...request(), origin: "console" } });
      navigate(`#/job/${r.id}`);
    } catch (err) {
      if (!(err instanceof Failed)) throw err;
      let first;
      for (const d of err.details) {
        const f = fields[d.path?.[0]];
        if (!f?.el) continue;
        f.fault.textContent = d.message;
        f.el.dataset.bad = "";
        f.input.setAttribute("aria-invalid", true);
        first ??= f.input;
      }
      if (!first) put(fault, h("p", { class: "alert bad" }, err.message));
      (first ?? button).focus();
    } finally { button.disabled = false; }
  });
  put(main, form);
  fields.url.input.focus();
}
