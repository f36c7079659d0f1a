// Questions to the agent: rows while they are found, and for each value the line that
// states it.

import { h, put, setText, call, num, count, clock, badge, externalLink, shortURL, keepTrying, pause, ask, note, announce, apiURL, headers, lines, save } from "./lib.js";
import { codeOfJob, requestView } from "./request.js";

// newQuestion is the form for a question, with the earlier questions.
export function newQuestion(main, { signal, server, navigate }) {
  if (!server.engines.agent) {
    put(main, h("h1", null, "Agent"), h("div", { class: "panel stack" }, h("p", null, "This server has no model, so it cannot answer questions."), h("p", null, "Start it with a model behind any chat completions API, for example:"),
      h("pre", { class: "code" }, "CURLEW_MODEL_KEY=… curlew serve --model-url https://api.example.com/v1 --model-mini NAME")));
    return;
  }
  const prompt = h("textarea", { id: "prompt", rows: 3, required: true, maxlength: 10000, placeholder: "List the staff of the trust with their roles." });
  const urls = h("textarea", { id: "urls", rows: 2, class: "mono", spellcheck: "false", placeholder: "https://example.com/team" });
  const schema = h("textarea", { id: "schema", rows: 4, class: "mono", spellcheck: "false", placeholder: '{"type": "object", "properties": {"staff": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}}}}' });
  const credits = h("input", { id: "credits", type: "number", min: 1, value: 200 });
  const strict = h("input", { type: "checkbox" });
  const fault = h("div", { role: "alert" });
  const field = (label, el, hint) => h("div", { class: "field" }, h("label", { for: el.id }, label), el, hint ? h("span", { class: "hint" }, hint) : null);
  const form = h("form", { class: "stack wide" }, h("h1", null, "Ask the agent"), field("Question", prompt), field("Pages to read", urls, "URLs, one a line. Without any, the agent searches the web."), h("label", { class: "check" }, strict, "Read only these pages"),
    h("details", null, h("summary", null, "Schema and budget"), h("div", { class: "stack" }, field("JSON schema of the answer", schema, "If it is empty, the agent chooses the columns."), field("Credits at most", credits))),
    fault, h("div", null, h("button", { class: "main" }, "Ask")));
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    put(fault);
    try {
      const json = { prompt: prompt.value, maxCredits: Number(credits.value), origin: "console" };
      const list = urls.value.split("\n").map((u) => u.trim()).filter(Boolean);
      if (list.length) json.urls = list;
      if (strict.checked) json.strictConstrainToURLs = true;
      if (schema.value.trim()) { try { json.schema = JSON.parse(schema.value); } catch (err) { throw new Error(`The schema is not JSON: ${err.message}`); } }
      const r = await call("/v2/agent", { method: "POST", json });
      navigate(`#/agent/${r.id}`);
    } catch (err) { put(fault, h("p", { class: "alert bad" }, err.message)); }
  });
  const older = h("ul", { class: "stack" });
  put(main, form, h("section", { class: "stack" }, h("h2", null, "Earlier questions"), older));
  call("/v2/agent", { signal }).then((r) => put(older, r.agents.length ? r.agents.map((a) => h("li", { class: "row" }, badge(a.status), h("a", { href: `#/agent/${a.id}` }, a.options.prompt || a.targetHint))) : h("li", { class: "muted" }, "None yet.")), () => {});
}

const ended = (s) => s === "completed" || s === "failed" || s === "cancelled";
const grades = { exact: "The line states the value as it is.", normalized: "The line states the value in another spelling.", verified: "A second reading confirmed the value.", derived: "The value was computed from what the page states." };

// agentRun shows a run of the agent, or an extract, which has no events.
export function agentRun(main, { id, signal, query, navigate }) {
  const extract = query.has("extract");
  const path = extract ? "/v2/extract/" : "/v2/agent/";
  let status = "processing", fields = {}, list = [], rows = 0, spent = 0;
  const title = h("h1", null, "Agent"), mark = h("span", null);
  // Badge and buttons appear with the first state, because there may be no such run.
  const stop = h("button", { type: "button", hidden: true, title: "End with what has been found", onclick: () => end("stop") }, "Finish now");
  const cancel = h("button", { type: "button", class: "danger", hidden: true, onclick: () => end("cancel") }, "Cancel");
  const figures = { rows: h("dd", null, "0"), pages: h("dd", null, "0"), calls: h("dd", null, "0"), credits: h("dd", null, "0") };
  const fault = h("p", { class: "fault", role: "status" }), alert = h("div", { role: "status" }), answer = h("div", { class: "answer stack" }, h("p", { class: "muted" }, "Rows appear here as they are found."));
  const steps = h("ol", { class: "steps", reversed: true }), older = h("p", { class: "hint" }), evidence = h("section", { class: "panel stack", "aria-label": "Evidence", "aria-live": "polite" }, h("p", { class: "muted" }, "Select a value to see the line that states it."));
  const code = requestView(null, signal), requestBox = h("details", null, h("summary", null, "Request"), code.el);
  put(main, h("div", { class: "stack" }, h("div", { class: "row" }, h("a", { href: "#/agent", class: "small" }, "← New question"), mark), h("div", { class: "row" }, h("div", { class: "grow" }, title), stop, cancel), fault, alert),
    h("dl", { class: "figures" }, [["rows", "Rows"], ["pages", "Pages read"], ["calls", "Model calls"], ["credits", "Credits"]].map(([k, t]) => h("div", null, h("dt", null, t), figures[k]))),
    h("div", { class: "columns" }, h("div", { class: "stack wide" }, answer, h("details", { open: true }, h("summary", null, "Steps"), steps, older), requestBox), evidence));

  if (!extract) call("api/jobs", { signal }).then((r) => { const j = r.jobs.find((x) => x.id === id); if (j) setText(title, j.prompt); }, () => {});

  requestBox.addEventListener("toggle", () => { if (requestBox.open) code.update(() => codeOfJob(id, undefined, signal)); });

  const known = new Set(); // ids of events, which come again after the connection was lost
  let removed = 0; // steps at the end of the list that are not shown any more
  let latest; // the newest snapshot of the rows that is not shown yet
  // One loop reads the events as they come, the other the state and the answer.
  if (!extract) keepTrying(signal, async () => {
    const r = await fetch(apiURL(`/v2/agent/${id}/events`), { headers: headers(), signal, cache: "no-store", credentials: "omit" });
    if (!r.ok) { const err = new Error("The events of the run cannot be read."); err.status = r.status; throw err; }
    const reader = r.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let buffer = ""; ;) {
      const { value, done } = await reader.read();
      if (done) break;
      buffer += value;
      for (let i; (i = buffer.indexOf("\n\n")) >= 0; buffer = buffer.slice(i + 2)) {
        const data = buffer.slice(0, i).split("\n").filter((l) => l.startsWith("data: ")).map((l) => l.slice(6)).join("\n");
        if (data) event(JSON.parse(data));
      }
    }
    if (!ended(status)) await pause(500, signal);
    return ended(status);
  }, () => {});
  keepTrying(signal, async () => {
    const r = await call(`${path}${id}?usage=true`, { signal });
    status = r.status;
    spent = r.creditsUsed ?? 0;
    setText(figures.credits, num(spent));
    if (r.usage) { setText(figures.pages, num(r.usage.pages)); setText(figures.calls, num(Object.values(r.usage.calls).reduce((a, b) => a + b, 0))); }
    put(mark, badge(status));
    stop.hidden = cancel.hidden = extract || ended(status);
    if (ended(status)) { finish(r); return true; }
    if (latest) { const s = latest; latest = undefined; const snap = await call(`/v2/agent/${id}/snapshots/${s}`, { signal }); show(snap.snapshot, false); }
    await pause(600, signal);
  }, (text) => setText(fault, text));

  function event(e) {
    if (known.has(e.eventId)) return;
    known.add(e.eventId);
    if (e.type === "artifact.updated") { latest = e.artifact.snapshotId; rows = e.artifact.itemCount; setText(figures.rows, num(rows)); announce(count(rows, "row")); }
    const text = { "reasoning.summary": () => e.text, "progress.reported": () => e.message, "error.occurred": () => e.error, "run.finished": () => `Finished: ${e.outcome}`, "artifact.updated": () => `${count(e.artifact.itemCount, "row")} so far`,
      "tool_call.started": () => e.message, "tool_call.finished": () => e.message }[e.type]?.();
    if (text) steps.prepend(h("li", null, h("time", { datetime: e.occurredAt }, clock(e.occurredAt)), h("span", { class: e.type === "error.occurred" ? "bad" : "" }, text)));
    for (; steps.children.length > 400; setText(older, `${count(++removed, "earlier step")} left out.`)) steps.lastChild.remove();
  }

  function finish(r) {
    fields = r.fields ?? {};
    list = r.sources ?? [];
    const messages = [];
    if (r.error) messages.push(["bad", r.error]);
    if (r.partial) messages.push(["", `The answer is partial (${r.stopReason ?? "stopped"}).`]);
    if (r.partialSchemaValid === false) messages.push(["bad", "The data does not fit the schema."]);
    if (r.notice) messages.push(["", r.notice]);
    if (r.warning) messages.push(["", r.warning]);
    for (const i of (r.issues ?? []).slice(0, 5)) messages.push(["", `${i.message}${i.path ? ` (${i.path})` : ""}`]);
    if ((r.issues ?? []).length > 5) messages.push(["", `${num(r.issues.length - 5)} more issues are in the answer of the API.`]);
    put(alert, messages.map(([look, t]) => h("p", { class: `alert ${look}` }, t)));
    if (r.data !== undefined) show(r.data, true, r); else put(answer, h("p", { class: "muted" }, "There is no answer."));
    announce(`The agent has ended: ${status}.`, true);
  }

  // show lays out data of any shape: lists of objects as tables, other values as pairs. Only the
  // final answer has sources for its values.
  function show(data, final, whole) {
    put(answer);
    let shown = 0;
    const cell = (value, pointer) => {
      const text = value === null || value === undefined ? "–" : typeof value === "object" ? JSON.stringify(value) : String(value);
      const e = fields[pointer];
      if (!final || !e) return h("span", { class: value === null ? "muted" : "" }, text);
      const b = h("button", { type: "button", class: `g-${e.grade}`, title: e.source < 0 ? "computed from rows" : list[e.source]?.url, onclick: () => { for (const x of answer.querySelectorAll(".chosen")) x.classList.remove("chosen"); b.classList.add("chosen"); cite(text, e, pointer); } }, text);
      return b;
    };
    const esc = (k) => String(k).replaceAll("~", "~0").replaceAll("/", "~1");
    const table = (name, items, pointer) => {
      const cols = [...new Set(items.slice(0, 200).flatMap((x) => Object.keys(x)))].slice(0, 40);
      const most = 500; // rows of a table that are shown
      shown += items.length;
      const head = h("h2", null, name ? `${name} ` : "", h("span", { class: "muted num" }, count(items.length, "row")));
      answer.append(h("div", { class: "row" }, head, final ? h("button", { type: "button", class: "push", onclick: () => csv(cols, items, name) }, "CSV") : null), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": name || "Rows" }, h("table", { class: "plain" }, h("thead", null, h("tr", null, cols.map((c) => h("th", { scope: "col" }, c)))),
        h("tbody", null, items.slice(0, most).map((x, i) => h("tr", null, cols.map((c) => h("td", null, cell(x[c], `${pointer}/${i}/${esc(c)}`)))))))), items.length > most ? h("p", { class: "muted" }, `${num(items.length - most)} more rows are in the CSV.`) : "");
    };
    const walk = (value, name, pointer, depth) => {
      if (Array.isArray(value) && value.length && value.every((x) => x && typeof x === "object" && !Array.isArray(x))) { table(name, value, pointer); return; }
      if (value && typeof value === "object" && !Array.isArray(value) && depth < 4) {
        const plain = Object.entries(value).filter(([, v]) => v === null || typeof v !== "object" || Array.isArray(v) && !v.some((x) => x && typeof x === "object"));
        if (plain.length) answer.append(h("table", { class: "plain" }, h("tbody", null, plain.map(([k, v]) => h("tr", null, h("th", { scope: "row" }, k), h("td", null, Array.isArray(v) && v.length ? h("ul", null, v.slice(0, 200).map((x, i) => h("li", null, cell(x, `${pointer}/${esc(k)}/${i}`)))) : cell(v, `${pointer}/${esc(k)}`)))))));
        for (const [k, v] of Object.entries(value)) if (!plain.some(([p]) => p === k)) walk(v, k, `${pointer}/${esc(k)}`, depth + 1);
        return;
      }
      answer.append(h("pre", { class: "code" }, JSON.stringify(value, null, 2)));
    };
    walk(data, "", "", 0);
    if (final) {
      setText(figures.rows, num(shown));
      answer.append(h("div", { class: "stack" }, h("h2", null, "Sources ", h("span", { class: "muted num" }, num(list.length))), h("ol", null, list.slice(0, 100).map((s) => h("li", null, externalLink(s.url, s.title || s.url), " ", h("span", { class: "muted small" }, shortURL(s.url))))), list.length > 100 ? h("p", { class: "muted" }, `${num(list.length - 100)} more are in the answer.`) : null,
        h("div", null, h("button", { type: "button", onclick: () => save(new Blob([JSON.stringify(whole, null, 2)], { type: "application/json" }), `${id}.json`) }, "Answer as JSON"))));
    }
  }

  function csv(cols, items, name) {
    const quote = (v) => { let t = v === null || v === undefined ? "" : typeof v === "object" ? JSON.stringify(v) : String(v); if (/^[=+\-@\t\r]/.test(t) && typeof v !== "number") t = `'${t}`; return `"${t.replaceAll('"', '""')}"`; };
    save(new Blob([[cols, ...items.map((x) => cols.map((c) => x[c]))].map((r) => r.map(quote).join(",")).join("\r\n")], { type: "text/csv" }), `${name || "rows"}.csv`);
  }

  // cite shows the lines that state a value. The answer names the lines and not their text,
  // so the page is read again, from the cache if the server has it.
  const read = new Map();
  async function cite(text, e, pointer) {
    const s = list[e.source];
    const about = h("div", { class: "stack" }, h("strong", null, text), h("dl", { class: "pairs" }, h("dt", null, "Field"), h("dd", { class: "mono" }, pointer), h("dt", null, "Grade"), h("dd", { title: grades[e.grade] ?? "" }, e.grade),
      s ? [h("dt", null, "Source"), h("dd", null, externalLink(s.url, s.title || s.url))] : null, e.lines ? [h("dt", null, "Lines"), h("dd", { class: "num" }, e.lines[0] === e.lines[1] ? num(e.lines[0]) : `${num(e.lines[0])} to ${num(e.lines[1])}`)] : null,
      e.also?.length ? [h("dt", null, "Also on"), h("dd", null, e.also.map((i) => h("div", null, externalLink(list[i]?.url, list[i]?.title || list[i]?.url))))] : null));
    if (!s) { put(evidence, about, h("p", { class: "muted" }, "The value was computed from the rows.")); return; }
    if (!e.lines) { put(evidence, about, h("p", { class: "muted" }, "The value comes from structured data of the page, which has no lines.")); return; }
    const progress = h("p", { class: "muted" }, "Reading the page …");
    put(evidence, about, progress);
    try {
      const page = async (whole) => {
        const k = `${whole} ${s.url}`;
        if (!read.has(k)) read.set(k, call("/v2/scrape", { method: "POST", json: { url: s.url, formats: ["markdown"], onlyMainContent: !whole, maxAge: 3600000, origin: "console" }, signal }).then((r) => r.data.markdown ?? "", (err) => { read.delete(k); throw err; }));
        return read.get(k);
      };
      const contains = (t, at) => t.split("\n").slice(at[0] - 1, at[1]).join("\n").toLowerCase().includes(text.toLowerCase());
      let body = await page(false), at = e.lines, remark = "";
      if (!contains(body, at)) {
        const full = await page(true);
        const find = (t) => t.split("\n").findIndex((l) => l.toLowerCase().includes(text.toLowerCase())) + 1;
        if (contains(full, at)) body = full;
        else if (find(body) || find(full)) { if (!find(body)) body = full; at = [find(body), find(body)]; remark = `The lines of the answer do not hold these words now. They are on line ${num(at[0])}: the page may have changed, or the agent numbered it before links were shortened.`; } else remark = "The page does not hold these words as they are. The lines that the agent cited are marked.";
      }
      if (!evidence.contains(progress)) return; // another value was chosen meanwhile
      const view = lines(body, at, text);
      view.style.maxHeight = "52vh";
      put(evidence, about, remark ? h("p", { class: "hint" }, remark) : null, view);
      const line = view.querySelector(".cited");
      if (line) view.scrollTop = line.offsetTop - view.offsetTop - 60;
    } catch (err) { if (!signal.aborted && evidence.contains(progress)) put(evidence, about, h("p", { class: "fault" }, err.message)); }
  }

  async function end(how) {
    if (how === "cancel" && await ask("Cancel this run?", h("p", null, "Nothing of its answer is kept. “Finish now” ends it with what it has found."), [["Keep going", ""], ["Cancel the run", "yes", "danger"]]) !== "yes") return;
    try { await call(`/v2/agent/${id}${how === "stop" ? "/stop" : ""}`, { method: how === "stop" ? "POST" : "DELETE" }); } catch (err) { note(err.message); }
  }
  return { keys: (e) => { if (e.key === "c" && !ended(status) && !extract) end("cancel"); else if (e.key === "Escape") navigate("#/agent"); else return false; return true; } };
}
