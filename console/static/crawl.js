// A crawl or a batch while it runs and afterwards: its pages, the map of the site, the
// pace of hosts, what was left out and why.

import { h, put, say, call, num, count, bytes, span, badge, outside, shortURL, webURL, keepTrying, pause, tabs, VirtualList, ask, announce, note, save } from "./lib.js";

// What the rules of a crawl mean. Names are those of the API.
export const rules = {
  parse: "It is not a URL.", scheme: "Only http and https are crawled.", depth: "It is deeper than the crawl may go.", section: "It is in another section of the site.", "file-type": "Files of this type are not read.",
  external: "It is on another site.", social: "It is a link of a social network.", backward: "It is not below the path of the start page.", excluded: "A pattern of excludePaths matches it.",
  "not-included": "No pattern of includePaths matches it.", nofollow: "The page asks crawlers not to follow its links.", "threat-list": "Threat protection blocks it.", duplicate: "The crawl has this page already, under this or another spelling.",
  robots: "The site's robots.txt disallows it.", trap: "It looks like an endless series of URLs.", room: "The limit of pages or requests leaves no room for it.", endless: "It belongs to a space of endlessly many URLs, which are requested last.",
};
const causes = { unreachable: "does not answer", "retry-after": "asked for a pause", "crawl-delay": "keeps a delay", overload: "showed signs of overload", busy: "all allowed requests are in flight" };
const ended = (s) => s === "completed" || s === "failed" || s === "cancelled";

export function job(main, place) {
  const { id, signal } = place;
  const pages = [];
  let state = "", kind = "crawl", base = "", counts = {}, stats, hosts = [], until, created, finished, expires, fault = "";
  const rate = []; // [time, pages] of the last ten seconds

  // The head.
  const title = h("h1", null, "Crawl");
  const mark = h("span");
  const cancel = h("button", { type: "button", class: "danger", onclick: () => stop() }, "Cancel");
  const form = h("select", { "aria-label": "Export as" }, [["jsonl", "JSON lines"], ["md", "Markdown (zip)"], ["links", "Links (CSV)"], ["chunks", "Chunks"]].map(([v, t]) => h("option", { value: v }, t)));
  form.style.width = "auto";
  const out = h("button", { type: "button", onclick: () => download() }, "Export");
  const bar = h("div"), progress = h("div", { class: "progress", role: "progressbar", "aria-label": "Pages", "aria-valuemin": 0 }, bar);
  const figures = {};
  const figure = (name, label) => { figures[name] = h("dd", null, "–"); return h("div", null, h("dt", null, label), figures[name]); };
  const row = h("dl", { class: "figures" }, figure("pages", "Pages"), figure("rate", "Pages a second"), figure("queue", "Waiting"), figure("flight", "In flight"), figure("failed", "Failed"), figure("left", "Left out"), figure("credits", "Credits"), figure("time", "Time"));
  const alert = h("div", { role: "status" });

  // The tabs.
  let words = "";
  const search = h("input", { type: "search", placeholder: "Filter by URL or title (press /)", "aria-label": "Filter the pages", oninput: () => { words = search.value.toLowerCase(); showPages(); } });
  const list = new VirtualList({
    label: "Pages", cols: "52px 62px minmax(0, 3fr) minmax(0, 2fr) 84px", narrow: "40px 46px minmax(0, 1fr)",
    columns: [{ title: "#", class: "right" }, { title: "Status" }, { title: "Page" }, { title: "Title", class: "wide-only" }, { title: "Stored", class: "right wide-only" }],
    draw: (p) => [h("span", { class: "right muted" }, num(p.n + 1)), h("span", { class: p.error || p.status >= 400 ? "bad num" : "good num" }, p.status || "–"), h("span", { title: p.url }, shortURL(p.url, base)),
      h("span", { class: "muted wide-only", title: p.title }, p.warned ? h("span", { class: "warning", title: "The document has a warning" }, "⚠ ") : null, p.error || p.title || ""), h("span", { class: "right muted wide-only" }, bytes(p.size))],
    open: (p) => place.go(`#/job/${id}/page/${p.n}`), key: (e, p) => e.key === "e" && p && (explain(p.url), true), none: "No page has arrived yet.",
  });
  const showPages = () => list.set(words ? pages.filter((p) => `${p.url} ${p.title}`.toLowerCase().includes(words)) : pages);
  const map = siteMap((p) => place.go(`#/job/${id}/page/${p.n}`));
  const hostBox = h("div", { class: "stack" }), leftBox = h("div", { class: "stack" }), errorBox = h("div", { class: "stack" });
  let view = tabs("Parts of the job", [
    ["pages", "Pages", () => h("div", { class: "stack" }, search, list.el)],
    ["map", "Map", () => map.el],
    ["hosts", "Hosts", () => hostBox],
    ["left", "Left out", () => leftOut()],
    ["errors", "Errors", () => errors()],
  ], place.query.get("tab") ?? "pages");

  put(main, h("div", { class: "stack" },
    h("div", { class: "row" }, h("a", { href: "#/", class: "small" }, "← All jobs"), mark), h("div", { class: "row" }, h("div", { class: "grow" }, title), form, out, cancel), progress, alert), row, view.el);

  // Two loops: one gets pages as they arrive, the other the counters and hosts.
  keepTrying(signal, async () => {
    const r = await call(`api/jobs/${id}/pages?after=${pages.length}&state=${state}`, { signal });
    for (const p of r.pages) { pages.push(p); map.add(p); }
    ({ state, kind, counts } = r);
    created ??= new Date(r.created);
    expires = r.expires;
    if (ended(state)) finished = new Date(r.ended);
    if (!base) { try { base = new URL(r.url || pages[0]?.url).host; } catch { /* a batch without pages yet */ } }
    say(title, r.url || (kind === "crawl" ? "Crawl" : "Batch"));
    rate.push([performance.now(), pages.length]);
    if (r.pages.length) { showPages(); if (view.current() === "map") map.show(); }
    paint();
    announce(`${count(pages.length, "page")} of ${num(counts.total)}`);
    return ended(state) && pages.length >= counts.delivered;
  }, (text) => { fault = text; paint(); });
  keepTrying(signal, async () => {
    const path = kind === "crawl" ? "/v2/crawl/" : "/v2/batch/scrape/";
    if (!state) { await pause(50, signal); return false; }
    const r = await call(`${path}${id}?stats=true&skip=2147483000&limit=1`, { signal });
    stats = r.stats; hosts = r.hosts ?? []; until = r.waitingUntil;
    paint();
    if (ended(state)) return true;
    await pause(700, signal);
  }, () => {});
  const tick = setInterval(() => paint(), 1000);
  signal.addEventListener("abort", () => clearInterval(tick));

  function paint() {
    if (!state) { if (fault) put(alert, h("p", { class: "alert bad" }, fault)); return; }
    const over = ended(state), now = performance.now();
    while (rate.length > 2 && now - rate[0][0] > 10000) rate.shift();
    const seconds = rate.length > 1 ? (now - rate[0][0]) / 1000 : 0;
    const speed = over ? (finished - created > 0 ? counts.delivered / ((finished - created) / 1000) : 0) : seconds > 0.4 ? (pages.length - rate[0][1]) / seconds : 0;
    const left = stats ? Object.values(stats.rules).reduce((a, b) => a + b, 0) - stats.duplicate : counts.blocked;
    put(mark, badge(state));
    cancel.hidden = over;
    out.disabled = form.disabled = !over;
    out.title = over ? "" : "A job can be exported when it has ended";
    const total = Math.max(counts.total, counts.delivered, 1);
    bar.style.transform = `scaleX(${over && state === "completed" ? 1 : counts.delivered / total})`;
    progress.className = `progress ${state}`;
    progress.setAttribute("aria-valuemax", total);
    progress.setAttribute("aria-valuenow", counts.delivered);
    put(figures.pages, num(counts.delivered), over ? null : h("small", null, ` of ${num(counts.total)}`));
    say(figures.rate, speed ? speed < 10 ? speed.toFixed(1) : num(Math.round(speed)) : "–");
    say(figures.queue, stats ? num(stats.queued) : "–");
    say(figures.flight, stats ? num(stats.inFlight) : "–");
    figures.failed.className = counts.failed ? "bad" : "";
    say(figures.failed, num(counts.failed));
    say(figures.left, num(left));
    say(figures.credits, num(counts.credits));
    say(figures.time, created ? span(((finished ?? Date.now()) - created) / 1000) : "–");
    view.count("pages", pages.length);
    view.count("errors", counts.failed);
    view.count("left", left);
    view.count("hosts", map.hosts().length);
    view.count("map", map.size());
    const says = [];
    if (counts.error) says.push(["bad", counts.error]);
    if (fault) says.push(["bad", fault]);
    if (counts.warning) says.push(["", counts.warning]);
    if (until && !over) says.push(["", `No host can be asked before ${new Date(until).toLocaleTimeString("en-GB")}.`]);
    if (!over && !pages.length && stats && !stats.requests) says.push(["", `Waiting for the robots.txt of ${base}.`]);
    if (over && pages.length < counts.delivered) says.push(["", `${num(pages.length)} of ${num(counts.delivered)} pages are listed so far.`]);
    const text = JSON.stringify(says);
    if (alert.dataset.says !== text) { alert.dataset.says = text; put(alert, says.map(([look, t]) => h("p", { class: `alert ${look}` }, t))); }
    if (view.current() === "hosts") paintHosts();
  }

  function paintHosts() {
    const wait = new Map(hosts.map((x) => [x.host, x]));
    const all = new Map(map.hosts());
    for (const x of hosts) if (!all.has(x.host)) all.set(x.host, { pages: 0, bad: 0 });
    const rowOf = ([name, x]) => {
      const w = wait.get(name) ?? wait.get(name.replace(/:\d+$/, ""));
      const gap = w?.until ? Math.max(0, (new Date(w.until) - Date.now()) / 1000) : 0;
      return h("tr", null, h("td", null, name), h("td", { class: "right" }, num(x.pages)), h("td", { class: `right ${x.bad ? "bad" : ""}` }, num(x.bad)), h("td", { class: "right" }, w?.gapMs ? `${num(w.gapMs)} ms` : "–"),
        h("td", null, ended(state) ? "" : w ? `${causes[w.cause] ?? w.cause}${gap > 0.5 ? `, next in ${span(gap)}` : ""}` : "as fast as it answers"));
    };
    put(hostBox, h("p", { class: "muted" }, "The crawl adapts to each host: it slows down when answers become slow, keeps a delay of robots.txt, and waits when a host asks for it."),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Hosts" }, h("table", { class: "plain" }, h("thead", null, h("tr", null, h("th", null, "Host"), h("th", { class: "right" }, "Pages"), h("th", { class: "right" }, "Bad status"), h("th", { class: "right" }, "Gap"), h("th", null, "Now"))),
        h("tbody", null, [...all].sort((a, b) => b[1].pages - a[1].pages).slice(0, 100).map(rowOf)))),
      all.size > 100 ? h("p", { class: "muted" }, `${num(all.size - 100)} more hosts are not shown.`) : null,
      all.size ? null : h("p", { class: "muted" }, "No host has answered yet."));
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
      if (!pages.length) { put(found, h("p", { class: "muted" }, "No page has arrived yet.")); return; }
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
          open: (e) => ask(e.code ?? "Error", h("div", { class: "stack" }, h("p", null, outside(e.url)), h("p", null, e.why), e.timestamp ? h("p", { class: "muted" }, new Date(e.timestamp).toLocaleString()) : null), [["Close", "", "main"]]), none: "Nothing has failed.",
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
      const have = pages.find((p) => p.url === full);
      const answer = have ? `The crawl has this page: it is number ${num(have.n + 1)}.` : d.follow ? ended(state) ? "The rules allow this URL. The crawl ended before it was its turn, it was never found, or it failed." : "The rules allow this URL. If the crawl has found it, it is waiting." : rules[d.rule] ?? "A rule refuses it.";
      const choice = await ask("Why?", h("div", { class: "stack" }, h("p", { class: "mono" }, full), h("p", null, h("strong", { class: have || d.follow ? "good" : "bad" }, have || d.follow ? "✓ Followed. " : "✕ Left out. "), answer),
        h("dl", { class: "pairs" }, d.rule ? [h("dt", null, "Rule"), h("dd", null, h("code", null, d.rule))] : null, d.value ? [h("dt", null, "Value"), h("dd", { class: "mono" }, d.value)] : null,
          h("dt", null, "Depth"), h("dd", null, String(d.depth)), d.from ? [h("dt", null, "Linked from"), h("dd", null, d.from)] : null, h("dt", null, "robots.txt"), h("dd", null, d.robots)),
        h("p", { class: "hint" }, "Asked as if the link were on a page at the depth of the start page.")), [...(have ? [["Read the page", "read"]] : []), ["Close", "", "main"]]);
      if (choice === "read") place.go(`#/job/${id}/page/${have.n}`);
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
    out.disabled = true;
    const names = { jsonl: "pages.jsonl", md: "pages.zip", links: "links.csv", chunks: "chunks.jsonl" };
    try {
      const r = await call(`${kind === "crawl" ? "/v2/crawl/" : "/v2/batch/scrape/"}${id}/export?format=${form.value}`, { raw: true, signal });
      save(await r.blob(), `${id}-${names[form.value]}`);
    } catch (err) { if (!signal.aborted) note(err.message); } finally { out.disabled = false; }
  }

  return { keys: (e) => {
    if (e.key === "c" && !ended(state)) stop();
    else if (e.key === "e") { view.show("left"); main.querySelector("#panel input")?.focus(); } else if (e.key === "Escape") place.go("#/");
    else if (e.key === "j" || e.key === "k") { list.el.focus(); list.choose(Math.max(0, Math.min(list.items.length - 1, list.at + (e.key === "j" ? 1 : -1)))); } else return false;
    return true;
  } };
}

// siteMap is the tree of paths of the pages that have arrived.
function siteMap(open) {
  const roots = new Map(), byHost = new Map();
  let size = 0, flat = [];
  const node = (name, level) => ({ name, level, kids: new Map(), pages: 0, bad: 0, page: null, wide: level < 2, fresh: performance.now() });
  const list = new VirtualList({
    label: "Map of the site", role: "treegrid", cols: "minmax(0, 1fr) 84px 90px 160px", narrow: "minmax(0, 1fr) 64px", columns: [{ title: "Path" }, { title: "Pages", class: "right" }, { title: "Bad status", class: "right wide-only" }, { title: "Share", class: "wide-only" }],
    draw: (n) => {
      const name = h("span", { title: n.page?.url ?? n.name }, h("span", { class: "twist", "aria-hidden": "true" }, n.kids.size ? n.wide ? "▾" : "▸" : ""), n.page ? h("button", { class: "link", type: "button", tabindex: -1 }, n.name) : n.name);
      name.style.paddingLeft = `${n.level * 18}px`;
      const meter = h("div", { class: "meter" });
      meter.style.transform = `scaleX(${n.pages / size})`;
      return { class: performance.now() - n.fresh < 900 && size > 1 ? "fresh" : "", level: n.level + 1, expanded: n.kids.size ? String(n.wide) : null,
        cells: [name, h("span", { class: "right" }, num(n.pages)), h("span", { class: `right wide-only ${n.bad ? "bad" : "muted"}` }, num(n.bad)), h("span", { class: "wide-only" }, meter)] };
    },
    open: (n, e) => { if (n.page && (e.type === "keydown" || e.target.closest("button") || !n.kids.size)) open(n.page); else if (n.kids.size) { n.wide = !n.wide; show(true); } },
    key: (e, n) => {
      if (!n || (e.key !== "ArrowRight" && e.key !== "ArrowLeft")) return false;
      n.wide = e.key === "ArrowRight";
      show(true);
      return true;
    },
    none: "The map grows as pages arrive.",
  });
  // Rows are copies, so that only those are drawn again whose figures have changed.
  const drawn = new Map();
  function show() {
    flat = [];
    const walk = (n) => {
      const stamp = `${n.pages} ${n.bad} ${n.wide} ${n.kids.size > 0} ${n.level ? "" : size}`;
      const old = drawn.get(n);
      const it = old?.stamp === stamp ? old : Object.assign(Object.create(n), { stamp });
      drawn.set(n, it);
      Object.defineProperty(it, "wide", { get: () => n.wide, set: (v) => { n.wide = v; }, configurable: true });
      flat.push(it);
      if (n.wide) for (const k of [...n.kids.values()].sort((a, b) => a.name < b.name ? -1 : 1)) walk(k);
    };
    for (const n of roots.values()) walk(n);
    list.set(flat);
  }
  const box = h("div", { class: "stack" }, list.el);
  box.addEventListener("shown", show);
  return {
    el: box, show, size: () => size, hosts: () => [...byHost],
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
        let kid = n.kids.get(part);
        if (!kid) {
          let text = part;
          try { text = decodeURIComponent(part); } catch { /* as it is */ }
          n.kids.set(part, kid = node(`/${text}`, n.level + 1));
        }
        n = kid;
        n.pages++; n.bad += bad;
      }
      n.page ??= p;
    },
  };
}
