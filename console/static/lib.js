// What all views share: elements, requests, texts for numbers and times, and long lists.

// h makes an element. Strings become text nodes: nothing here parses HTML. Attributes whose
// value is null, undefined or false are left out, except that false is a value of aria-*. Names
// that start with on are listeners. For class, text and value it sets the property instead of
// the attribute.
export function h(tag, attrs, ...children) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(attrs ?? {})) {
    if (value === null || value === undefined || value === false && !name.startsWith("aria-")) continue;
    if (name.startsWith("on")) el.addEventListener(name.slice(2), value);
    else if (name === "class") el.className = value;
    else if (name === "text") el.textContent = value;
    else if (name === "value") el.value = value;
    else el.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : value);
  }
  el.append(...children.flat(3).filter((c) => c !== null && c !== undefined && c !== false));
  return el;
}

// put replaces the children of el. Lists are flattened, and empty values are left out.
export function put(el, ...children) {
  el.replaceChildren(...children.flat(3).filter((c) => c !== null && c !== undefined && c !== false));
  return el;
}

// setText sets a text only if it has changed, because setting it makes the browser lay out the
// page again.
export function setText(el, text) { if (el.textContent !== text) el.textContent = text; }

// The key lives in this variable and nowhere else.
let key = "";
// What views keep while another view is shown. It is forgotten with the key, because the next
// key may belong to another team.
let kept = {};
export const keep = () => kept;
export const setKey = (k) => { key = k; kept = {}; };
export const hasKey = () => key !== "";

const root = new URL("../", document.baseURI); // where the contract is served, with any prefix
export const apiURL = (path) => new URL(path.replace(/^\//, ""), root);
export const ownURL = (path) => new URL(path, document.baseURI);
export const headers = (more) => (key ? { Authorization: `Bearer ${key}`, ...more } : { ...more });

// Failed is the error of a request: the server refused it, or did not answer.
export class Failed extends Error {
  constructor(status, body) {
    super(body?.error || body?.message || (status ? `The server answered with status ${status}.` : "The server does not answer."));
    this.status = status; // 0 if there was no answer
    this.details = Array.isArray(body?.details) ? body.details : [];
    this.code = body?.code;
  }
}

// call makes a request and returns the answer: JSON, or the Response if raw is set.
// Paths that start with / belong to the contract, others to the console. tryKey is a key that is
// used for this request only.
export async function call(path, { method = "GET", json, body, type, signal, raw, tryKey } = {}) {
  const url = path.startsWith("/") ? apiURL(path) : ownURL(path);
  const fields = headers(json !== undefined ? { "Content-Type": "application/json" } : type ? { "Content-Type": type } : {});
  if (tryKey) fields.Authorization = `Bearer ${tryKey}`;
  let answer;
  try {
    answer = await fetch(url, { method, headers: fields, body: json !== undefined ? JSON.stringify(json) : body, signal, cache: "no-store", credentials: "omit" });
  } catch (err) {
    if (signal?.aborted) throw err;
    throw new Failed(0);
  }
  if (answer.ok && raw) return answer;
  let value;
  try { value = await answer.json(); } catch { value = undefined; }
  if (!answer.ok || value === undefined) {
    if (answer.status === 401 && hasKey() && !tryKey) dispatchEvent(new Event("keyrefused"));
    throw new Failed(answer.status, value);
  }
  return value;
}

// isAbort reports whether a request ended because its view is no longer shown.
export const isAbort = (err) => err?.name === "AbortError";

// pause waits. It ends early, with an AbortError, if the view is left.
export const pause = (ms, signal) => new Promise((resolve, reject) => {
  const t = setTimeout(resolve, ms);
  signal?.addEventListener("abort", () => { clearTimeout(t); reject(new DOMException("left", "AbortError")); }, { once: true });
});

// visible waits until the page can be seen.
export const visible = () => new Promise((resolve) => {
  if (!document.hidden) { resolve(); return; }
  document.addEventListener("visibilitychange", () => resolve(), { once: true });
});

// keepTrying runs step again and again until it returns true or the view is left. After an
// error it waits 1 to 30 seconds and reports it by fault(text). An empty text means that the
// last step succeeded. It gives up after errors that would not go away.
export async function keepTrying(signal, step, fault) {
  for (let wait = 1; !signal.aborted;) {
    try {
      await visible();
      const done = await step();
      wait = 1;
      fault("");
      if (done) return;
    } catch (err) {
      if (signal.aborted || isAbort(err)) return;
      if ([400, 401, 403, 404].includes(err.status)) { fault(err.message); return; }
      fault(`${err.message} Trying again in ${wait} s.`);
      try { await pause(wait * 1000, signal); } catch { return; }
      wait = Math.min(wait * 2, 30);
    }
  }
}

const numbers = new Intl.NumberFormat("en");
export const num = (n) => numbers.format(n ?? 0);
export const count = (n, one, many) => `${num(n)} ${n === 1 ? one : many ?? `${one}s`}`;
export function bytes(n) {
  if (n < 1000) return `${n} B`;
  for (const unit of ["KB", "MB", "GB"]) { n /= 1000; if (n < 999.5 || unit === "GB") return `${n < 10 ? n.toFixed(1) : Math.round(n)} ${unit}`; }
}
// duration writes a number of seconds.
export function duration(s) {
  s = Math.max(0, Math.round(s));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor(s / 60) % 60} min`;
  return `${Math.floor(s / 86400)} d ${Math.floor(s / 3600) % 24} h`;
}
export function ago(time) {
  const s = (Date.now() - new Date(time)) / 1000;
  if (s < 10) return "just now";
  if (s < 3600) return s < 60 ? `${Math.round(s)} s ago` : `${Math.round(s / 60)} min ago`;
  return s < 86400 ? `${Math.round(s / 3600)} h ago` : new Date(time).toLocaleDateString("en", { day: "numeric", month: "short", year: "numeric" });
}
export const clock = (time) => new Date(time).toLocaleTimeString("en-GB");
// timeAgo is an element that says how long ago a time is, with the exact time as its title.
export const timeAgo = (time) => h("time", { datetime: time, title: new Date(time).toLocaleString() }, ago(time));

// webURL returns the URL if it is one of http or https, and otherwise null.
export function webURL(text) {
  try { const u = new URL(text); return u.protocol === "http:" || u.protocol === "https:" ? u.href : null; } catch { return null; }
}
// externalLink is a link that opens in a new tab, or only a text if the URL is not one of the web.
export const externalLink = (url, text) => webURL(url) ? h("a", { href: webURL(url), target: "_blank", rel: "noopener noreferrer" }, text ?? url) : h("span", null, text ?? url);
// shorten cuts a text that is only a label. Documents can have titles and URLs of any length.
export const shorten = (text, most = 300) => (text && text.length > most ? `${text.slice(0, most)} …` : text);
// shortURL leaves out the scheme, and the host if it is base.
export function shortURL(url, base) {
  try { const u = new URL(url); return base && u.host === base ? `${u.pathname}${u.search}` : `${u.host}${u.pathname}${u.search}`; } catch { return url; }
}

const states = { running: "Running", completed: "Completed", failed: "Failed", cancelled: "Cancelled", scraping: "Running", processing: "Running" };
export const badge = (state) => h("span", { class: `badge ${state === "scraping" || state === "processing" ? "running" : state}` }, states[state] ?? state);

// copy copies a text to the clipboard.
export async function copy(text) {
  try { await navigator.clipboard.writeText(text); note("Copied."); } catch { note("The browser does not allow copying here. Select the text instead."); }
}

// note shows a message for six seconds.
export function note(text) {
  const p = h("p", { role: "status" }, text);
  document.getElementById("notes").append(p);
  setTimeout(() => p.remove(), 6000);
}
let announced = 0;
// announce tells screen readers about progress, at most every five seconds unless now is set.
export function announce(text, now) {
  if (!now && Date.now() - announced < 5000) return;
  announced = Date.now();
  setText(document.getElementById("live"), text);
}

// ask shows a dialog and returns the value of the button that closed it.
export function ask(title, content, buttons) {
  return new Promise((resolve) => {
    const box = h("dialog", { "aria-label": title }, h("div", { class: "stack" }, h("h2", null, title), content,
      h("div", { class: "row end" }, buttons.map(([text, value, look]) => h("button", { type: "button", class: look, autofocus: value === "" ? false : true, onclick: () => box.close(value) }, text)))));
    box.addEventListener("close", () => { box.remove(); resolve(box.returnValue); });
    document.body.append(box);
    box.showModal();
  });
}

// tabs makes a list of tabs. Each is [id, title, view], and view() makes the content when
// the tab is first shown. chosen is the id of the first tab to show. It returns the element and show(id), count(id, n).
export function tabs(label, all, chosen) {
  const bar = h("div", { class: "tabs", role: "tablist", "aria-label": label });
  const panel = h("div", { class: "stack", role: "tabpanel", id: "panel" });
  const made = new Map(), counts = new Map();
  let now;
  const show = (id) => {
    now = id;
    for (const b of bar.children) {
      const on = b.dataset.id === id;
      b.setAttribute("aria-selected", on);
      b.tabIndex = on ? 0 : -1;
      if (on) panel.setAttribute("aria-labelledby", b.id);
    }
    if (!made.has(id)) made.set(id, all.find((t) => t[0] === id)[2]());
    put(panel, made.get(id));
    made.get(id).dispatchEvent(new Event("shown"));
  };
  for (const [id, title] of all) {
    const n = h("span", { class: "count" });
    counts.set(id, n);
    bar.append(h("button", { type: "button", role: "tab", id: `tab-${id}`, "data-id": id, "aria-controls": "panel", onclick: () => show(id) }, title, n));
  }
  bar.addEventListener("keydown", (e) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!step) return;
    const i = all.findIndex((t) => t[0] === now);
    const next = all[(i + step + all.length) % all.length][0];
    show(next);
    bar.querySelector(`[data-id="${next}"]`).focus();
    e.preventDefault();
  });
  show(all.some(([id]) => id === chosen) ? chosen : all[0][0]);
  return { el: h("div", { class: "stack" }, bar, panel), show, current: () => now, count: (id, n) => setText(counts.get(id), n ? num(n) : "") };
}

// VirtualList shows any number of rows. Only the rows that are visible are elements. columns
// are {title, class}. draw(item) returns the cells of a row. open(item) is called for a click
// and for Enter, and key(event, item) for other keys. Items are identified by their position.
export class VirtualList {
  constructor({ label, columns, cols, narrow, draw, open, key, none, role = "grid", height = 34 }) {
    Object.assign(this, { draw, open, keys: key, height, items: [], at: -1, rows: new Map(), role });
    this.fill = h("div", { class: "fill", role: "rowgroup" });
    this.none = h("div", { role: "row" }, h("div", { class: "none", role: "gridcell" }, none)); // shown if there are no items
    this.head = h("div", { role: "rowgroup" }, h("div", { class: "head", role: "row", "aria-rowindex": 1 }, columns.map((c) => h("span", { role: "columnheader", class: c.class }, c.title))));
    this.el = h("div", { class: "list", role, "aria-label": label, tabindex: 0, "aria-rowcount": 1 }, this.head, this.fill);
    this.el.style.setProperty("--cols", cols);
    if (narrow) this.el.style.setProperty("--narrow", narrow);
    this.id = `l${Math.random().toString(36).slice(2, 8)}`;
    this.el.addEventListener("scroll", () => this.later(), { passive: true });
    new ResizeObserver(() => this.later()).observe(this.el);
    this.fill.addEventListener("click", (e) => {
      const row = e.target.closest("[data-i]");
      if (row) { this.choose(Number(row.dataset.i)); this.open?.(this.items[this.at], e); }
    });
    this.el.addEventListener("keydown", (e) => this.key(e));
    this.set([]);
  }
  key(e) {
    if (e.altKey || e.ctrlKey || e.metaKey) return;
    const page = Math.max(1, Math.floor(this.visibleHeight() / this.height) - 1);
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[e.key];
    if (step) this.choose(Math.min(Math.max(this.at + step, 0), this.items.length - 1));
    else if (e.key === "Enter" && this.items[this.at]) this.open?.(this.items[this.at], e);
    else if (!this.keys?.(e, this.items[this.at])) return;
    e.preventDefault();
    e.stopPropagation();
  }
  choose(i) {
    if (!this.items.length) return;
    this.at = i;
    const top = i * this.height, b = this.el;
    if (top < b.scrollTop) b.scrollTop = top;
    else if (top + this.height > b.scrollTop + this.visibleHeight()) b.scrollTop = top + this.height - this.visibleHeight();
    this.paint();
  }
  // visibleHeight is the height that is left for rows below the head.
  visibleHeight() { return Math.max(this.el.clientHeight - 34, this.height); }
  // set replaces the items. Rows whose item is the same stay as they are.
  set(items) {
    this.items = items;
    this.el.setAttribute("aria-rowcount", items.length + 1);
    this.fill.style.height = items.length ? `${items.length * this.height}px` : "auto";
    if (!items.length) { this.rows.clear(); put(this.fill, this.none); } else this.none.remove();
    if (this.at >= items.length) this.at = items.length - 1;
    this.later();
  }
  // setEmpty sets the text that is shown if there are no items.
  setEmpty(text) { setText(this.none.firstChild, text); }
  // later paints before the next frame, once for any number of calls.
  later() { this.frame ??= requestAnimationFrame(() => { this.frame = undefined; this.paint(); }); }
  paint() {
    const from = Math.max(0, Math.floor(this.el.scrollTop / this.height) - 6);
    const to = Math.min(this.items.length, Math.ceil((this.el.scrollTop + (this.el.clientHeight || 600)) / this.height) + 6);
    for (const [i, r] of this.rows) if (i < from || i >= to || r.item !== this.items[i]) { r.el.remove(); this.rows.delete(i); }
    let before = null;
    for (let i = to - 1; i >= from; i--) { // from the end, so that the order of the elements is that of the list
      let r = this.rows.get(i);
      if (!r) {
        const cells = this.draw(this.items[i], i);
        const el = h("div", { class: `item ${cells.class ?? ""}`, role: "row", id: `${this.id}-${i}`, "data-i": i, "aria-rowindex": i + 2, "aria-level": cells.level, "aria-expanded": cells.expanded },
          (cells.cells ?? cells).map((c) => { c.setAttribute("role", "gridcell"); return c; }));
        el.style.transform = `translateY(${i * this.height}px)`;
        r = { el, item: this.items[i] };
        this.rows.set(i, r);
        this.fill.insertBefore(el, before);
      }
      const chosen = i === this.at;
      r.el.classList.toggle("chosen", chosen);
      r.el.setAttribute("aria-selected", chosen);
      before = r.el;
    }
    if (this.rows.has(this.at)) this.el.setAttribute("aria-activedescendant", `${this.id}-${this.at}`);
    else this.el.removeAttribute("aria-activedescendant");
  }
}

const maxPart = 2000;      // rows that are shown at once
const maxPartSize = 300000; // characters that are shown at once
const maxRow = 4000;       // characters of a row; browsers are slow with longer ones

// rowsOf divides a text into rows: lines, and parts of very long lines. Each row is
// [number of its line, text, whether the line begins here].
function* rowsOf(text) {
  let number = 0;
  for (const line of text.split("\n")) {
    number++;
    for (let i = 0; i === 0 || i < line.length; i += maxRow) yield [number, line.slice(i, i + maxRow), i === 0];
  }
}

// lines shows a text with the numbers of its lines. cite is [first, last] or nothing, and
// words are marked in the cited lines. A long text is shown in parts.
export function lines(text, cite, words) {
  const box = h("div", { class: "source mono", tabindex: 0, role: "region", "aria-label": "Source" });
  const rows = rowsOf(text), lineCount = text.split("\n").length;
  const make = ([number, row, begins]) => {
    const cited = cite && number >= cite[0] && number <= cite[1];
    const at = cited && words ? row.toLowerCase().indexOf(words.toLowerCase()) : -1;
    return h("div", { class: cited ? "cited" : "" }, h("span", null, begins ? number : ""),
      at < 0 ? h("span", null, row || " ") : h("span", null, row.slice(0, at), h("mark", null, row.slice(at, at + words.length)), row.slice(at + words.length)));
  };
  let next = rows.next();
  // more shows the next part, which ends after the cited lines.
  const more = () => {
    const part = document.createDocumentFragment();
    for (let n = 0, size = 0; !next.done && (n < maxPart && size < maxPartSize || cite && next.value[0] <= cite[1] + 200 && size < 20 * maxPartSize); next = rows.next()) {
      part.append(make(next.value));
      n++;
      size += next.value[1].length;
    }
    box.append(part);
    if (!next.done) {
      const button = h("button", { class: "link", type: "button", onclick: () => { button.remove(); more(); box.focus(); } }, `Show more of ${count(lineCount, "line")}`);
      box.append(button);
    }
  };
  more();
  return box;
}

// maxSource are the bytes that the server renders of each type. It shows longer Markdown as text.
const maxSource = { "text/markdown": 2 << 20, "text/html": 4 << 20 };

// preview shows Markdown or HTML in a frame without scripts. It returns remarks about what the
// frame does not show.
export async function preview(frame, text, type, signal) {
  const all = new Blob([text]), most = maxSource[type];
  const r = await call("api/preview", { method: "POST", body: all.slice(0, most), type, signal });
  frame.src = ownURL(`preview/${r.token}`).href;
  return [all.size > most ? `only the first ${bytes(most)} of ${bytes(all.size)}` : "", r.cut ? "cut after 8 MB" : "", r.dropped ? `${count(r.dropped, "element")} not shown` : "", ...r.warnings].filter(Boolean);
}

// save hands a file to the browser.
export function save(blob, name) {
  const a = h("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(a.href), 60000);
}
