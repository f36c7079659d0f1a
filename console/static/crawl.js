// A crawl or a batch while it runs and afterwards: its pages, the map of the site, the
// pace of its hosts, which links were left out and why, and its request.

import { h, put, setText, call, num, count, bytes, duration, badge, externalLink, shortURL, shorten, webURL, keepTrying, pause, tabs, VirtualList, ask, announce, note, save } from "./lib.js";
import { codeOfJob, requestView } from "./request.js";

// The rules of a crawl, by their names in the API.
const rules = {
  parse: "It is not a URL.", scheme: "Only http and https are crawled.", depth: "It is deeper than the crawl may go.", section: "It is in another section of the site.", "file-type": "Files of this type are not read.",
  external: "It is on another site.", social: "It is a link of a social network.", backward: "It is not below the path of the start page.", excluded: "A pattern of excludePaths matches it.",
  "not-included": "No pattern of includePaths matches it.", nofollow: "The page asks crawlers not to follow its links.", "threat-list": "Threat protection blocks it.", duplicate: "The crawl has this page already, under this or another spelling.",
  robots: "The robots.txt of its site disallows it or could not be reached.", trap: "It looks like an endless series of URLs.", room: "The limit of pages or requests leaves no room for it.", endless: "It belongs to a space of endlessly many URLs, which are requested last.",
};
const causes = { unreachable: "does not answer", "retry-after": "asked for a pause", "crawl-delay": "keeps a delay", overload: "showed signs of overload", busy: "all allowed requests are in flight" };
const ended = (s) => s === "completed" || s === "failed" || s === "cancelled";

// job shows a crawl or a batch.
export function job(main, { id, signal, query, navigate }) {
  const pages = [];
  let state = "", kind = "crawl", base = "", counts = {}, stats, hosts = [], waitingUntil, created, finished, fault = "";
  const recent = []; // [time, number of pages] in the last ten seconds

  // The head.
  const title = h("h1", null, "Crawl");
  const stateBadge = h("span");
  const cancel = h("button", { type: "button", class: "danger", onclick: () => stop() }, "Cancel");
  const exportFormat = h("select", { "aria-label": "Export as" }, [["jsonl", "JSON lines"], ["md", "Markdown (zip)"], ["links", "Links (CSV)"], ["chunks", "Chunks"]].map(([v, t]) => h("option", { value: v }, t)));
  exportFormat.style.width = "auto";
  const exportButton = h("button", { type: "button", onclick: () => download() }, "Export");
  const bar = h("div"), progress = h("div", { class: "progress", role: "progressbar", "aria-label": "Pages", "aria-valuemin": 0 }, bar);
  const figures = {};
  const figure = (name, label) => { figures[name] = h("dd", null, "–"); return h("div", null, h("dt", null, label), figures[name]); };
  const row = h("dl", { class: "figures" }, figure("pages", "Pages"), figure("rate", "Pages a second"), figure("queue", "Waiting"), figure("flight", "In flight"), figure("failed", "Failed"), figure("left", "Left out"), figure("credits", "Credits"), figure("time", "Time"));
  const alert = h("div", { role: "status" });

  // The tabs.
  let filter = "";
  const search = h("input", { type: "search", placeholder: "Filter by URL or title (press /)", "aria-label": "Filter the pages", oninput: () => { filter = search.value.toLowerCase(); showPages(); } });
  const list = new VirtualList({
    label: "Pages", cols: "52px 62px minmax(0, 3fr) minmax(0, 2fr) 84px", narrow: "40px 46px minmax(0, 1fr)",
    columns: [{ title: "#", class: "right" }, { title: "Status" }, { title: "Page" }, { title: "Title", class: "wide-only" }, { title: "Stored", class: "right wide-only" }],
    draw: (p) => [h("span", { class: "right muted" }, num(p.n + 1)), h("span", { class: p.error || p.status >= 400 ? "bad num" : "good num" }, p.status || "–"), h("span", { title: p.url }, shortURL(p.url, base)),
      h("span", { class: "muted wide-only", title: p.title }, p.warned ? h("span", { class: "warning", title: "The document has a warning" }, "⚠ ") : null, p.error || p.title || ""), h("span", { class: "right muted wide-only" }, bytes(p.size))],
    open: (p) => navigate(`#/job/${id}/page/${p.n}`), key: (e, p) => e.key === "e" && p && (explain(p.url), true), none: "No page has arrived yet.",
  });
  const showPages = () => {
    list.setEmpty(filter ? "No page matches." : ended(state) ? "The job has no pages." : "No page has arrived yet.");
    list.set(filter ? pages.filter((p) => `${p.url} ${p.title}`.toLowerCase().includes(filter)) : pages);
  };
  const map = siteMap((p) => navigate(`#/job/${id}/page/${p.n}`));
  const hostBox = h("div", { class: "stack" }), leftBox = h("div", { class: "stack" }), errorBox = h("div", { class: "stack" });
  let view = tabs("Parts of the job", [
    ["pages", "Pages", () => h("div", { class: "stack" }, search, list.el)],
    ["map", "Map", () => map.el],
    ["hosts", "Hosts", () => hostBox],
    ["left", "Left out", () => leftOut()],
    ["errors", "Errors", () => errors()],
    ["request", "Request", () => requestView(() => codeOfJob(id, undefined, signal), signal).el],
  ], query.get("tab") ?? "pages");

  put(main, h("div", { class: "stack" },
    h("div", { class: "row" }, h("a", { href: "#/", class: "small" }, "← All jobs"), stateBadge), h("div", { class: "row" }, h("div", { class: "grow" }, title), exportFormat, exportButton, cancel), progress, alert), row, view.el);

  // One loop gets the pages as they arrive, and another one the counters and hosts.
  keepTrying(signal, async () => {
    const r = await call(`api/jobs/${id}/pages?after=${pages.length}&state=${state}`, { signal });
    for (const p of r.pages) { pages.push(p); map.add(p); }
    ({ state, kind, counts } = r);
    created ??= new Date(r.created);
    if (ended(state)) finished = new Date(r.ended);
    if (!base) { try { base = new URL(r.url || pages[0]?.url).host; } catch { /* a batch without pages yet */ } }
    setText(title, shorten(r.url) || (kind === "crawl" ? "Crawl" : "Batch"));
    recent.push([performance.now(), pages.length]);
    if (r.pages.length || ended(state)) { showPages(); if (view.current() === "map") map.show(); }
    paint();
    announce(`${count(pages.length, "page")} of ${num(counts.total)}`);
    return ended(state) && pages.length >= counts.delivered;
  }, (text) => { fault = text; paint(); });
  keepTrying(signal, async () => {
    const path = kind === "crawl" ? "/v2/crawl/" : "/v2/batch/scrape/";
    if (!state) { await pause(50, signal); return false; }
    const r = await call(`${path}${id}?stats=true&skip=2147483000&limit=1`, { signal });
    stats = r.stats; hosts = r.hosts ?? []; waitingUntil = r.waitingUntil;
    paint();
    if (ended(state)) return true;
    await pause(700, signal);
  }, () => {});
  const tick = setInterval(() => paint(), 1000);
  signal.addEventListener("abort", () => clearInterval(tick));

  function paint() {
    if (!state) { if (fault) put(alert, h("p", { class: "alert bad" }, fault)); return; }
    const over = ended(state), now = performance.now();
    while (recent.length > 2 && now - recent[0][0] > 10000) recent.shift();
    const seconds = recent.length > 1 ? (now - recent[0][0]) / 1000 : 0;
    const speed = over ? (finished - created > 0 ? counts.delivered / ((finished - created) / 1000) : 0) : seconds > 0.4 ? (pages.length - recent[0][1]) / seconds : 0;
    const left = stats ? Object.values(stats.rules).reduce((a, b) => a + b, 0) - stats.duplicate : counts.blocked;
    put(stateBadge, badge(state));
    cancel.hidden = over;
    exportButton.disabled = exportFormat.disabled = !over;
    exportButton.title = over ? "" : "A job can be exported when it has ended";
    const total = Math.max(counts.total, counts.delivered, 1);
    bar.style.transform = `scaleX(${over && state === "completed" ? 1 : counts.delivered / total})`;
    progress.className = `progress ${state === "completed" && !counts.delivered ? "empty" : state}`;
    if (over) map.setEmpty(counts.delivered ? "No page has a URL of the web." : "The job has no pages.");
    progress.setAttribute("aria-valuemax", total);
    progress.setAttribute("aria-valuenow", counts.delivered);
    put(figures.pages, num(counts.delivered), over ? null : h("small", null, ` of ${num(counts.total)}`));
    setText(figures.rate, speed ? speed < 10 ? speed.toFixed(1) : num(Math.round(speed)) : "–");
    setText(figures.queue, stats ? num(stats.queued) : "–");
    setText(figures.flight, stats ? num(stats.inFlight) : "–");
    figures.failed.className = counts.failed ? "bad" : "";
    setText(figures.failed, num(counts.failed));
    setText(figures.left, num(left));
    setText(figures.credits, num(counts.credits));
    const age = ((finished ?? Date.now()) - created) / 1000;
    setText(figures.time, !created ? "–" : over && age < 10 ? `${age.toFixed(1)} s` : duration(age));
    view.count("pages", pages.length);
    view.count("errors", counts.failed);
    view.count("left", left);
    view.count("hosts", map.hosts().length);
    view.count("map", map.size());
    const messages = [];
    if (counts.error) messages.push(["bad", counts.error]);
    if (fault) messages.push(["bad", fault]);
    if (counts.warning) messages.push(["", counts.warning]);
    if (waitingUntil && !over) messages.push(["", `No host can be asked before ${new Date(waitingUntil).toLocaleTimeString("en-GB")}.`]);
    if (!over && !pages.length && stats && !stats.requests) messages.push(["", `Waiting for the robots.txt of ${base}.`]);
    if (over && pages.length < counts.delivered) messages.push(["", `${num(pages.length)} of ${num(counts.delivered)} pages are listed so far.`]);
    const text = JSON.stringify(messages);
    if (alert.dataset.messages !== text) { alert.dataset.messages = text; put(alert, messages.map(([look, t]) => h("p", { class: `alert ${look}` }, t))); }
    if (view.current() === "hosts") paintHosts();
  }

  function paintHosts() {
    const waits = new Map(hosts.map((x) => [x.host, x]));
    const all = new Map(map.hosts());
    for (const x of hosts) if (!all.has(x.host)) all.set(x.host, { pages: 0, bad: 0 });
    const rowOf = ([name, x]) => {
      const w = waits.get(name) ?? waits.get(name.replace(/:\d+$/, ""));
      const gap = w?.until ? Math.max(0, (new Date(w.until) - Date.now()) / 1000) : 0;
      return h("tr", null, h("td", null, name), h("td", { class: "right" }, num(x.pages)), h("td", { class: `right ${x.bad ? "bad" : ""}` }, num(x.bad)), h("td", { class: "right" }, w?.gapMs ? `${num(w.gapMs)} ms` : "–"),
        h("td", null, ended(state) ? "" : w ? `${causes[w.cause] ?? w.cause}${gap > 0.5 ? `, next in ${duration(gap)}` : ""}` : "as fast as it answers"));
    };
    put(hostBox, h("p", { class: "muted" }, "The crawl adapts to each host: it slows down when answers become slow, keeps a delay of robots.txt, and waits when a host asks for it."),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Hosts" }, h("table", { class: "plain" }, h("thead", null, h("tr", null, h("th", null, "Host"), h("th", { class: "right" }, "Pages"), h("th", { class: "right" }, "Bad status"), h("th", { class: "right" }, "Gap"), h("th", null, "Now"))),
        h("tbody", null, [...all].sort((a, b) => b[1].pages - a[1].pages).slice(0, 100).map(rowOf)))),
      all.size > 100 ? h("p", { class: "muted" }, `${num(all.size - 100)} more hosts are not shown.`) : null,
      all.size ? null : h("p", { class: "muted" }, ended(state) ? "No host has answered." : "No host has answered yet."));
  }

  // What was left out.
  function leftOut() {
    const paintLeft = () => {
      const found = h("div", { class: "stack" });
      const url = h("input", { type: "text", inputmode: "url", placeholder: "https://example.com/a/page", "aria-label": "URL to explain", autocomplete: "off", spellcheck: "false" });
      const form = h("form", { class: "big" }, url, h("button", { class: "main" }, "Why?"));
      form.addEventListener("submit", (e) => { e.preventDefault(); if (url.value.trim()) explain(url.value.trim()); });
      const by = stats ? Object.entries(stats.rules).sort((a, b) => b[1] - a[1]) : [];
      put(leftBox, h("h2", null, "Ask about a URL"), form,
        by.length ? [h("h2", null, "Links by the rule that refused them"), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Rules" }, h("table", { class: "plain" }, h("thead", null, h("tr", null, h("th", null, "Rule"), h("th", { class: "right" }, "Links"), h("th", null, "Meaning"))),
          h("tbody", null, by.map(([r, n]) => h("tr", null, h("td", null, h("code", null, r)), h("td", { class: "right" }, num(n)), h("td", null, rules[r] ?? ""))))))] : null,
        stats?.endlessSpaces?.length ? [h("h2", null, "Endless spaces"), h("ul", { class: "stack" }, stats.endlessSpaces.map((s) => h("li", null, h("code", null, s.pattern), ` ${count(s.left, "known URL")} left, such as `, h("button", { class: "link", type: "button", onclick: () => explain(s.example) }, s.example))))] : null,
        h("h2", null, "Links to pages that the crawl does not have"), found);
      if (!pages.length) { put(found, h("p", { class: "muted" }, ended(state) ? "The job has no pages." : "No page has arrived yet.")); return; }
      put(found, h("p", { class: "muted" }, "Comparing links with pages …"));
      call(`api/jobs/${id}/unseen`, { signal }).then((r) => {
        const unseen = new VirtualList({
          label: "Links without a page", cols: "minmax(0, 3fr) minmax(0, 2fr) 70px", narrow: "minmax(0, 1fr) 56px", columns: [{ title: "Link" }, { title: "First seen on", class: "wide-only" }, { title: "Rule", class: "right" }],
          draw: (l) => [h("span", { title: l.url }, shortURL(l.url, base)), h("span", { class: "muted wide-only", title: l.from }, shortURL(l.from, base)), h("span", { class: "right" }, h("span", { class: "chip" }, "why?"))],
          open: (l) => explain(l.url, l.from), key: (e, l) => e.key === "e" && l && (explain(l.url, l.from), true),
          none: r.bare === r.read ? "The crawl was started without the format “links”, so its links are not known." : "Every link on the pages leads to a page of this crawl.",
        });
        const only = h("input", { type: "search", placeholder: "Filter the links (press /)", "aria-label": "Filter the links", oninput: () => unseen.set(r.links.filter((l) => l.url.toLowerCase().includes(only.value.toLowerCase()))) });
        unseen.set(r.links);
        put(found, h("p", { class: "muted" }, `${count(r.links.length + r.more, "link")} on ${count(r.read, "page")}. Select one to see which rule decided.`,
          r.more ? ` The first ${num(r.links.length)} are listed.` : "", r.read < r.of ? ` ${count(r.of - r.read, "page")} could not be looked at in time.` : "", r.bare && r.bare < r.read ? ` ${count(r.bare, "page")} came without links.` : ""), only, unseen.el);
      }, (err) => { if (!signal.aborted) put(found, h("p", { class: "fault" }, err.message)); });
    };
    leftBox.addEventListener("shown", paintLeft);
    return leftBox;
  }

  function errors() {
    errorBox.addEventListener("shown", async () => {
      const path = kind === "crawl" ? "/v2/crawl/" : "/v2/batch/scrape/";
      try {
        const r = await call(`${path}${id}/errors`, { signal });
        const all = [...r.errors.map((e) => ({ ...e, why: e.error })), ...r.robotsBlocked.map((url) => ({ url, code: "robots.txt", why: "Disallowed by robots.txt." })), ...(r.gone ?? []).map((url) => ({ url, code: "gone", why: "The page of the earlier crawl is gone." }))];
        const rows = new VirtualList({
          label: "Errors", cols: "150px minmax(0, 2fr) minmax(0, 3fr)", narrow: "96px minmax(0, 1fr)", columns: [{ title: "Code" }, { title: "URL" }, { title: "What happened", class: "wide-only" }],
          draw: (e) => [h("span", { class: "bad" }, e.code ?? "error"), h("span", { title: e.url }, shortURL(e.url, base)), h("span", { class: "muted wide-only", title: e.why }, e.why)],
          open: (e) => ask(e.code ?? "Error", h("div", { class: "stack" }, h("p", null, externalLink(e.url)), h("p", null, e.why), e.timestamp ? h("p", { class: "muted" }, new Date(e.timestamp).toLocaleString()) : null), [["Close", "", "main"]]), none: "Nothing has failed.",
        });
        rows.set(all);
        const more = (r.errorsTotal ?? r.errors.length) - r.errors.length + (r.robotsBlockedTotal ?? r.robotsBlocked.length) - r.robotsBlocked.length;
        put(errorBox, rows.el, more > 0 ? h("p", { class: "muted" }, `${num(more)} more are not listed.`) : null);
      } catch (err) { if (!signal.aborted) put(errorBox, h("p", { class: "fault" }, err.message)); }
    });
    return errorBox;
  }

  // explain asks which rule decides on a URL.
  async function explain(url, from) {
    if (kind !== "crawl") { note("Only crawls have rules for links."); return; }
    try {
      const q = new URLSearchParams({ url });
      if (from) q.set("from", from);
      const { url: full, decision: d } = await call(`/v2/crawl/${id}/explain?${q}`, { signal });
      const found = pages.find((p) => p.url === full);
      const answer = found ? `The crawl has this page: it is number ${num(found.n + 1)}.` : d.follow ? ended(state) ? "The rules allow this URL. The crawl ended before it was its turn, it was never found, or it failed." : "The rules allow this URL. If the crawl has found it, it is waiting." : rules[d.rule] ?? "A rule refuses it.";
      const choice = await ask("Why?", h("div", { class: "stack" }, h("p", { class: "mono" }, full), h("p", null, h("strong", { class: found || d.follow ? "good" : "bad" }, found || d.follow ? "✓ Followed. " : "✕ Left out. "), answer),
        h("dl", { class: "pairs" }, d.rule ? [h("dt", null, "Rule"), h("dd", null, h("code", null, d.rule))] : null, d.value ? [h("dt", null, "Value"), h("dd", { class: "mono" }, d.value)] : null,
          h("dt", null, "Depth"), h("dd", null, String(d.depth)), d.from ? [h("dt", null, "Linked from"), h("dd", null, d.from)] : null, h("dt", null, "robots.txt"), h("dd", null, d.robots)),
        h("p", { class: "hint" }, "Asked as if the link were on a page at the depth of the start page.")), [...(found ? [["Read the page", "read"]] : []), ["Close", "", "main"]]);
      if (choice === "read") navigate(`#/job/${id}/page/${found.n}`);
    } catch (err) { if (!signal.aborted) note(err.message); }
  }

  async function stop() {
    if (ended(state)) return;
    if (await ask("Cancel this job?", h("p", null, `The ${count(pages.length, "page")} that arrived stay readable. Pages in flight are dropped.`), [["Keep going", ""], ["Cancel the job", "yes", "danger"]]) !== "yes") return;
    try {
      await call(`${kind === "crawl" ? "/v2/crawl/" : "/v2/batch/scrape/"}${id}`, { method: "DELETE" });
      announce("The job was cancelled.", true);
    } catch (err) { note(err.message); }
  }

  async function download() {
    exportButton.disabled = true;
    const names = { jsonl: "pages.jsonl", md: "pages.zip", links: "links.csv", chunks: "chunks.jsonl" };
    try {
      const r = await call(`${kind === "crawl" ? "/v2/crawl/" : "/v2/batch/scrape/"}${id}/export?format=${exportFormat.value}`, { raw: true, signal });
      save(await r.blob(), `${id}-${names[exportFormat.value]}`);
    } catch (err) { if (!signal.aborted) note(err.message); } finally { exportButton.disabled = false; }
  }

  return { keys: (e) => {
    if (e.key === "c" && !ended(state)) stop();
    else if (e.key === "e") { view.show("left"); main.querySelector("#panel input")?.focus(); } else if (e.key === "Escape") navigate("#/");
    else if (e.key === "j" || e.key === "k") { list.el.focus(); list.choose(Math.max(0, Math.min(list.items.length - 1, list.at + (e.key === "j" ? 1 : -1)))); } else return false;
    return true;
  } };
}

// siteMap shows the pages that have arrived as a tree of paths.
function siteMap(open) {
  const roots = new Map(), byHost = new Map();
  let size = 0, flat = [];
  const node = (name, level) => ({ name, level, children: new Map(), pages: 0, bad: 0, page: null, open: level < 2, fresh: performance.now() });
  const list = new VirtualList({
    label: "Map of the site", role: "treegrid", cols: "minmax(0, 1fr) 84px 90px 160px", narrow: "minmax(0, 1fr) 64px", columns: [{ title: "Path" }, { title: "Pages", class: "right" }, { title: "Bad status", class: "right wide-only" }, { title: "Share", class: "wide-only" }],
    draw: (n) => {
      const name = h("span", { title: n.page?.url ?? n.name }, h("span", { class: "twist", "aria-hidden": "true" }, n.children.size ? n.open ? "▾" : "▸" : ""), n.page ? h("button", { class: "link", type: "button", tabindex: -1 }, n.name) : n.name);
      name.style.paddingLeft = `${n.level * 18}px`;
      const meter = h("div", { class: "meter" });
      meter.style.transform = `scaleX(${n.pages / size})`;
      return { class: performance.now() - n.fresh < 900 && size > 1 ? "fresh" : "", level: n.level + 1, expanded: n.children.size ? String(n.open) : null,
        cells: [name, h("span", { class: "right" }, num(n.pages)), h("span", { class: `right wide-only ${n.bad ? "bad" : "muted"}` }, num(n.bad)), h("span", { class: "wide-only" }, meter)] };
    },
    open: (n, e) => { if (n.page && (e.type === "keydown" || e.target.closest("button") || !n.children.size)) open(n.page); else if (n.children.size) { n.open = !n.open; show(true); } },
    key: (e, n) => {
      if (!n || (e.key !== "ArrowRight" && e.key !== "ArrowLeft")) return false;
      n.open = e.key === "ArrowRight";
      show(true);
      return true;
    },
    none: "The map grows as pages arrive.",
  });
  // The list draws a row again if its item is another object. So each item is a copy of its
  // node, which is replaced when a figure of the node has changed.
  const drawn = new Map();
  function show() {
    flat = [];
    const walk = (n) => {
      const stamp = `${n.pages} ${n.bad} ${n.open} ${n.children.size > 0} ${n.level ? "" : size}`;
      const old = drawn.get(n);
      const it = old?.stamp === stamp ? old : Object.assign(Object.create(n), { stamp });
      drawn.set(n, it);
      Object.defineProperty(it, "open", { get: () => n.open, set: (v) => { n.open = v; }, configurable: true });
      flat.push(it);
      if (n.open) for (const k of [...n.children.values()].sort((a, b) => a.name < b.name ? -1 : 1)) walk(k);
    };
    for (const n of roots.values()) walk(n);
    list.set(flat);
  }
  const box = h("div", { class: "stack" }, list.el);
  box.addEventListener("shown", show);
  return {
    el: box, show, setEmpty: (text) => list.setEmpty(text), size: () => size, hosts: () => [...byHost],
    add(p) {
      const u = webURL(p.url) ? new URL(p.url) : null;
      if (!u) return;
      size++;
      const bad = p.error || p.status >= 400 ? 1 : 0;
      const host = byHost.get(u.host) ?? { pages: 0, bad: 0 };
      host.pages++;
      host.bad += bad;
      byHost.set(u.host, host);
      let n = roots.get(u.host);
      if (!n) roots.set(u.host, n = node(u.host, 0));
      n.pages++; n.bad += bad;
      const parts = `${u.pathname}${u.search}`.split("/").slice(1);
      if (parts.at(-1) === "") parts.pop();
      for (const part of parts.slice(0, 40)) {
        let child = n.children.get(part);
        if (!child) {
          let text = part;
          try { text = decodeURIComponent(part); } catch { /* as it is */ }
          n.children.set(part, child = node(`/${text}`, n.level + 1));
        }
        n = child;
        n.pages++; n.bad += bad;
      }
      n.page ??= p;
    },
  };
}
