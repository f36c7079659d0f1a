// Keys and usage of the team, and the tail of its audit events.

import { h, put, setText, call, num, timeAgo, keepTrying, pause, VirtualList, clock, shortURL, ask, externalLink } from "./lib.js";

// account shows the keys and the usage.
export function account(main, { signal }) {
  const usage = h("section", { class: "panel stack", "aria-labelledby": "usage" }), keys = h("section", { class: "stack", "aria-labelledby": "keys" });
  put(main, h("h1", null, "Keys and usage"), usage, keys);
  const unlimited = 2147483647; // the contract has no other word for it
  const get = (path) => call(path, { signal }).catch((err) => ({ fault: err.message }));
  (async () => {
    const [credit, history, load, all] = await Promise.all([get("/v2/team/credit-usage"), get("/v2/team/credit-usage/historical"), get("/v2/concurrency-check"), get("api/keys")]);
    if (signal.aborted) return;
    const left = credit.data?.remainingCredits, plan = credit.data?.planCredits;
    const months = history.periods ?? [];
    const top = Math.max(1, ...months.map((m) => m.creditsUsed ?? 0));
    put(usage, h("h2", { id: "usage" }, "Usage"), credit.fault ? h("p", { class: "fault" }, credit.fault) : h("dl", { class: "figures" },
      h("div", null, h("dt", null, "Credits left"), h("dd", null, left >= unlimited ? "no limit" : num(left))), h("div", null, h("dt", null, "Of the plan"), h("dd", null, plan >= unlimited ? "no limit" : num(plan))),
      h("div", null, h("dt", null, "Pages at once"), h("dd", null, num(load.concurrency), h("small", null, ` of ${num(load.maxConcurrency)}`)))),
      months.length ? h("table", { class: "plain" }, h("thead", null, h("tr", null, h("th", null, "Month"), h("th", { class: "right" }, "Credits"), h("th", { class: "wide-only" }, "Share"))), h("tbody", null, months.slice(-12).reverse().map((m) => {
        const bar = h("div", { class: "progress" }, h("div"));
        bar.firstChild.style.transform = `scaleX(${(m.creditsUsed ?? 0) / top})`;
        return h("tr", null, h("td", null, m.startDate ? new Date(m.startDate).toLocaleDateString("en", { month: "long", year: "numeric", timeZone: "UTC" }) : "Before"), h("td", { class: "right" }, num(m.creditsUsed)), h("td", { class: "wide-only" }, bar));
      }))) : history.fault ? h("p", { class: "muted small" }, history.fault) : null);
    put(keys, h("h2", { id: "keys" }, `Keys of the team ${all.team ?? ""}`), all.fault ? h("p", { class: "fault" }, all.fault) : all.keys.length ? h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Keys" }, h("table", { class: "plain" }, h("thead", null, h("tr", null, ["Name", "Ends with", "Created", "Expires", "State"].map((t) => h("th", null, t)))),
      h("tbody", null, all.keys.map((k) => h("tr", null, h("td", null, k.name || h("span", { class: "muted" }, "no name")), h("td", { class: "mono" }, `…${k.last4}`), h("td", null, timeAgo(k.created)), h("td", null, k.expires ? new Date(k.expires).toLocaleDateString("en-GB") : "never"),
        h("td", null, k.revoked ? h("span", { class: "bad" }, "✕ revoked") : k.used ? h("span", { class: "good" }, "✓ used by this page") : "active")))))) : h("p", { class: "muted" }, all.stored ? "The team has no stored keys." : "The keys of this server are in its settings. With a key file they are listed here."),
      h("p", { class: "muted small" }, "Keys are made and revoked with the command, on the machine of the server: ", h("code", null, "curlew keys new"), ", ", h("code", null, "curlew keys revoke"), "."));
  })();
}

// audit shows the events of the team as they come.
export function audit(main, { signal, server }) {
  if (!server.engines.audit) {
    put(main, h("h1", null, "Audit"), h("div", { class: "panel" }, h("p", null, "This server writes no audit log. Start it with ", h("code", null, "--audit DIR"), " to see every URL that it requests or refuses.")));
    return;
  }
  let next = 0, events = [], filter = "", paused = false, lost = 0;
  const fault = h("p", { class: "fault", role: "status" }), gap = h("p", { class: "muted", role: "status" });
  const search = h("input", { type: "search", placeholder: "Filter (press /)", "aria-label": "Filter the events", oninput: () => { filter = search.value.toLowerCase(); show(); } });
  const pauseButton = h("button", { type: "button", "aria-pressed": "false", onclick: () => { paused = !paused; pauseButton.setAttribute("aria-pressed", paused); pauseButton.textContent = paused ? "Continue" : "Pause"; show(); } }, "Pause");
  const list = new VirtualList({
    label: "Audit events", cols: "76px 90px 84px minmax(0, 1fr) 64px minmax(0, 220px)", narrow: "70px 74px minmax(0, 1fr)",
    columns: [{ title: "Time" }, { title: "Result" }, { title: "Endpoint", class: "wide-only" }, { title: "URL" }, { title: "Status", class: "wide-only" }, { title: "Why", class: "wide-only" }],
    draw: (e) => [h("span", { class: "num muted" }, clock(e.completed_at)), h("span", { class: e.result === "success" ? "good" : "bad" }, e.result), h("span", { class: "wide-only" }, e.endpoint || e.action), h("span", { title: e.url }, e.url ? shortURL(e.url) : e.zero_data_retention ? "not kept: zero retention" : e.action ?? "–"), h("span", { class: "wide-only num" }, e.http_status || "–"), h("span", { class: "wide-only muted" }, e.error?.code ?? e.threat?.rule ?? e.network?.reason ?? "")],
    open: (e) => ask("Audit event", h("div", { class: "stack" }, e.url ? h("p", null, externalLink(e.url)) : null, h("pre", { class: "code" }, JSON.stringify(e, null, 2))), [["Close", "", "main"]]), none: "No event yet. Each URL that the server requests or refuses appears here.",
  });
  const show = () => { if (!paused) list.set(events.filter((e) => !filter || JSON.stringify(e).toLowerCase().includes(filter)).reverse()); };
  put(main, h("h1", null, "Audit"), h("p", { class: "muted" }, "Every URL that was requested or refused for your team since the server started, the newest first. The page keeps 2,000."), h("div", { class: "row" }, h("div", { class: "grow" }, search), pauseButton), list.el, gap, fault);
  keepTrying(signal, async () => {
    const r = await call(`api/audit?after=${next}`, { signal });
    const more = r.events.length === 500; // the server sends at most 500 at once
    next = r.next;
    lost += r.lost;
    if (r.events.length) { events = [...events, ...r.events].slice(-2000); show(); }
    gap.textContent = lost ? `${num(lost)} events came too fast for this page. They are in the log.` : "";
    if (!more) await pause(1500, signal);
  }, (text) => setText(fault, text));
}
