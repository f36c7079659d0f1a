// The home page with the jobs, and the form for a new crawl.

import { h, put, call, num, count, span, ago, badge, shortURL, keepTrying, pause, VirtualList, Failed, apiURL } from "./lib.js";

const kinds = { crawl: "Crawl", "batch-scrape": "Batch", batch: "Batch", agent: "Agent", extract: "Extract" };

export function home(main, place) {
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
      place.go(`#/job/${r.id}`);
    } catch (err) { fault.textContent = err.message; }
  });

  let all = [], state = "", words = "", first = true;
  const counts = h("div", { class: "row", role: "group", "aria-label": "Show jobs" });
  const search = h("input", { type: "search", placeholder: "Filter (press /)", "aria-label": "Filter the jobs", class: "push", oninput: () => { words = search.value.toLowerCase(); show(); } });
  search.style.maxWidth = "220px";
  const list = new VirtualList({
    label: "Jobs", cols: "110px 70px minmax(0, 1fr) 120px 90px 110px", narrow: "105px minmax(0, 1fr) 74px", height: 40,
    columns: [{ title: "State" }, { title: "Kind", class: "wide-only" }, { title: "What" }, { title: "Pages", class: "right" }, { title: "Failed", class: "right wide-only" }, { title: "Started", class: "right wide-only" }],
    draw: (j) => [h("span", null, badge(j.state)), h("span", { class: "wide-only muted" }, kinds[j.kind] ?? j.kind), h("span", { title: j.prompt || j.url }, j.prompt || shortURL(j.url ?? "") || j.id),
      h("span", { class: "right" }, j.kind === "agent" || j.kind === "extract" ? `${num(j.credits)} cr` : j.total > j.delivered && j.state === "running" ? `${num(j.delivered)} / ${num(j.total)}` : num(j.delivered)),
      h("span", { class: `right wide-only ${j.failed ? "bad" : "muted"}` }, num(j.failed)), h("span", { class: "right wide-only muted" }, ago(j.created))],
    open: (j) => place.go(j.kind === "agent" || j.kind === "extract" ? `#/agent/${j.id}${j.kind === "extract" ? "?extract" : ""}` : `#/job/${j.id}`),
    none: "No jobs yet. Crawl a site above, or start one over the API: it appears here.",
  });
  const show = () => {
    const states = ["running", "completed", "failed", "cancelled"];
    put(counts, [["", "All", all.length], ...states.map((s) => [s, s[0].toUpperCase() + s.slice(1), all.filter((j) => j.state === s).length])].map(([s, text, n]) =>
      h("button", { type: "button", class: s === state ? "" : "quiet", "aria-pressed": s === state, onclick: () => { state = s; show(); } }, text, h("span", { class: "muted num" }, num(n)))), search);
    list.set(all.filter((j) => (!state || j.state === state) && (!words || `${j.url} ${j.prompt} ${j.id}`.toLowerCase().includes(words))));
  };

  const health = h("section", { class: "panel stack", "aria-labelledby": "health" });
  const trouble = h("p", { class: "fault", role: "status" });
  put(main, form, h("div", { class: "columns" },
    h("section", { class: "stack", "aria-labelledby": "jobs" }, h("h2", { id: "jobs" }, "Jobs"), counts, list.el, trouble), health));
  let shown = "";
  keepTrying(place.signal, async () => {
    const [jobs, queue, system] = await Promise.all([call("api/jobs", { signal: place.signal }), call("/v2/team/queue-status", { signal: place.signal }), call("api/system", { signal: place.signal })]);
    const now = JSON.stringify(jobs.jobs);
    if (now !== shown) { shown = now; all = jobs.jobs; if (document.activeElement?.closest("[role=group]") !== counts || first) show(); else list.set(list.items.length ? all.filter((j) => (!state || j.state === state)) : all); }
    first = false;
    paintHealth(health, system, queue, jobs.more);
    await pause(all.some((j) => j.state === "running") ? 1000 : 3000, place.signal);
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
      h("dt", null, "Up for"), h("dd", { class: "num" }, span(s.uptime)),
      s.version ? [h("dt", null, "Version"), h("dd", null, s.version)] : null,
      h("dt", null, "Jobs"), has(s.engines.store, "survive a restart", "in memory only: serve with a data folder"),
      h("dt", null, "Agent"), has(s.engines.agent, "ready", "needs a model"),
      h("dt", null, "Search"), has(s.engines.search, "ready", "needs SearXNG or a provider"),
      h("dt", null, "Scans"), has(s.engines.ocr, "read by OCR", "no OCR engine"),
      more ? [h("dt", null, "Older jobs"), h("dd", null, `${num(more)} not listed`)] : null));
}

// withScheme lets people write a host only.
export const withScheme = (text) => { const t = text.trim(); return t && !/^[a-z][a-z0-9+.-]*:/i.test(t) || /^[^/]*:\d+(\/|$)/.test(t) && !/^[a-z]+:\/\//i.test(t) ? `https://${t}` : t; };

// start is the form for a crawl with its options.
export function start(main, place) {
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
  const curl = h("pre", { class: "code", tabindex: 0, "aria-label": "The request as a command" });
  const form = h("form", { class: "stack wide" },
    h("h1", null, "New crawl"),
    h("div", { class: "fields" },
      field("url", "URL", text({ inputmode: "url", placeholder: "https://example.com/docs/", value: place.query.get("url") ?? "", required: true }), "Pages at and below this path are followed.", true),
      field("limit", "Pages at most", whole({ min: 1, value: 100 }), "Exact at any concurrency"),
      field("maxDiscoveryDepth", "Depth at most", whole({ placeholder: "no limit" }), "Links from the start page"),
      field("delay", "Delay between requests", h("input", { type: "number", min: 0, max: 60, step: "any", placeholder: "as the site needs" }), "Seconds, for each host"),
      field("maxConcurrency", "Pages at once", whole({ min: 1, placeholder: "as the key allows" })),
      field("includePaths", "Only paths that match", area("^/docs/"), "Regular expressions, one a line", true),
      field("excludePaths", "No paths that match", area("/print$"), "Regular expressions, one a line", true),
      field("sitemap", "Sitemap", h("select", null, h("option", { value: "include" }, "Use it, and follow links"), h("option", { value: "only" }, "Use only the sitemap"), h("option", { value: "skip" }, "Do not use it"))),
      place.server.engines.agent ? field("prompt", "Or say what you want", area("Only the pages about prices"), "A model sets the options that you leave empty.", true) : null),
    h("div", { class: "fields" },
      h("div", null, h("h2", null, "Follow"), check("crawlEntireDomain", "The whole site", "not only below the path"), check("allowSubdomains", "Subdomains"), check("allowExternalLinks", "Links to other sites"), check("ignoreQueryParameters", "Treat URLs alike that differ in the query")),
      h("div", null, h("h2", null, "Keep"), h("label", { class: "check" }, h("input", { type: "checkbox", checked: true, disabled: true }), h("span", null, "Markdown")), check("links", "Links", "needed to list what was left out", true), check("html", "Cleaned HTML"), check("rawHtml", "HTML as it was sent", "to read it beside the result", true)),
      h("div", null, h("h2", null, "How"), check("onlyMainContent", "Only the main content", "no menus and footers", true), check("zeroDataRetention", "Keep nothing on disk"))),
    fault, h("div", { class: "row" }, h("button", { class: "main" }, "Start the crawl")),
    h("details", null, h("summary", null, "The same request as a command"), curl));

  const request = () => {
    const v = (name) => fields[name]?.input.value.trim() ?? "";
    const on = (name) => fields[name].input.checked;
    const r = { url: withScheme(v("url")) };
    for (const name of ["limit", "maxDiscoveryDepth", "delay", "maxConcurrency"]) if (v(name) !== "") r[name] = Number(v(name));
    for (const name of ["includePaths", "excludePaths"]) { const l = v(name).split("\n").map((s) => s.trim()).filter(Boolean); if (l.length) r[name] = l; }
    if (v("sitemap") !== "include") r.sitemap = v("sitemap");
    if (v("prompt")) r.prompt = v("prompt");
    for (const name of ["crawlEntireDomain", "allowSubdomains", "allowExternalLinks", "ignoreQueryParameters", "zeroDataRetention"]) if (on(name)) r[name] = true;
    r.scrapeOptions = { formats: ["markdown", ...["links", "html", "rawHtml"].filter(on)] };
    if (!on("onlyMainContent")) r.scrapeOptions.onlyMainContent = false;
    return r;
  };
  const tell = () => { curl.textContent = `curl -H 'Authorization: Bearer '"$CURLEW_API_KEY" -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(request()).replaceAll("'", "'\\''")}' \\\n  ${apiURL("/v2/crawl").href}`; };
  form.addEventListener("input", tell);
  tell();
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    for (const f of Object.values(fields)) { f.fault.textContent = ""; f.el?.removeAttribute("data-bad"); f.input.removeAttribute("aria-invalid"); }
    put(fault);
    const button = form.querySelector("button.main");
    button.disabled = true;
    try {
      const r = await call("/v2/crawl", { method: "POST", json: { ...request(), origin: "console" } });
      place.go(`#/job/${r.id}`);
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
