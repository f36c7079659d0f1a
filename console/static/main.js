// The shell: signing in, the pages and their addresses, keys of the keyboard, the theme.

import { h, put, call, setKey, hasKey, ask, note, announce } from "./lib.js";
import { home, start } from "./home.js";
import { job } from "./crawl.js";
import { reader } from "./reader.js";
import { agent, question } from "./agent.js";
import { file } from "./file.js";
import { account, trail } from "./account.js";

const main = document.getElementById("main");
const pages = [["", "Home"], ["new", "New crawl"], ["agent", "Agent"], ["file", "Read a file"], ["account", "Keys and usage"], ["audit", "Audit"]];
export const server = { engines: {}, key: true, ready: true };

let leave; // ends the requests of the view that is shown
let view;  // what it returned: {keys(e)}

// route shows the view that the address names.
async function route() {
  leave?.abort();
  leave = new AbortController();
  view = undefined;
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").map((p) => { try { return decodeURIComponent(p); } catch { return p; } });
  const place = { signal: leave.signal, query: new URLSearchParams(query), server, go };
  nav(parts[0]);
  if (server.key && !hasKey()) { title("Sign in"); put(main, gate()); main.querySelector("input").focus(); return; }
  const [name, id, sub, n] = parts;
  const make = name === "" ? [home, "Home"] : name === "new" ? [start, "New crawl"] : name === "job" && sub === "page" ? [reader, "Page"] : name === "job" ? [job, "Job"]
    : name === "agent" && id ? [agent, "Agent"] : name === "agent" ? [question, "Agent"] : name === "file" ? [file, "Read a file"]
    : name === "account" ? [account, "Keys and usage"] : name === "audit" ? [trail, "Audit"] : null;
  if (!make) { title("Not found"); put(main, h("h1", null, "There is no such page"), h("p", null, h("a", { href: "#/" }, "Go to the home page"))); return; }
  title(make[1]);
  put(main);
  scrollTo(0, 0);
  view = make[0](main, { ...place, id, n: Number(n) });
}

const title = (text) => { document.title = text === "Home" ? "curlew" : `${text} – curlew`; };
export function go(hash) { if (location.hash === hash) route(); else location.hash = hash; }

// nav shows the pages and marks the current one.
function nav(name) {
  const now = name === "job" ? "" : name;
  put(document.getElementById("nav"), h("ul", null, pages.map(([id, text]) => h("li", null, h("a", { href: `#/${id}`, "aria-current": id === now ? "page" : null }, text)))));
}

// gate asks for the key.
function gate() {
  const input = h("input", { type: "password", id: "key", autocomplete: "off", spellcheck: "false", required: true, "aria-describedby": "why" });
  const fault = h("p", { class: "fault", role: "alert" });
  const form = h("form", { class: "stack" }, h("h1", null, "Look into your crawls"),
    h("p", { class: "muted" }, "This server asks for an API key. It is kept in the memory of this page only, and is gone when you reload it."),
    h("div", { class: "field" }, h("label", { for: "key" }, "API key"), input, h("span", { class: "hint", id: "why" }, "The server printed it when it started, or an operator made it with ", h("code", null, "curlew keys new"), ".")),
    fault, h("div", null, h("button", { class: "main" }, "Open the console")));
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    setKey(input.value.trim());
    fault.textContent = "";
    try { await call("api/keys"); tools(); route(); } catch (err) { setKey(""); fault.textContent = err.message; input.select(); }
  });
  return h("div", { class: "gate" }, h("div", { class: "panel" }, form));
}

// The theme follows the system until someone chooses one. Only the choice of colours is
// stored.
const themes = ["auto", "light", "dark"];
let theme = "auto";
try { theme = localStorage.getItem("curlew-theme") ?? "auto"; } catch { /* storage may be off */ }
if (!themes.includes(theme)) theme = "auto";
function paint() { if (theme === "auto") delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = theme; }
paint();

function tools() {
  const words = { auto: "◐ Auto", light: "☀ Light", dark: "☾ Dark" };
  const look = h("button", { class: "quiet", type: "button", title: "Change the colours", onclick: () => {
    theme = themes[(themes.indexOf(theme) + 1) % 3];
    try { localStorage.setItem("curlew-theme", theme); } catch { /* then only until the reload */ }
    paint();
    label();
  } });
  const label = () => put(look, h("span", { "aria-hidden": "true" }, words[theme][0]), h("span", { class: "wide-only" }, words[theme].slice(2)), h("span", { class: "hidden" }, ` colours: ${theme}`));
  label();
  put(document.getElementById("tools"), look,
    h("button", { class: "quiet", type: "button", title: "Keys of the keyboard (?)", "aria-label": "Help: keys of the keyboard", onclick: help }, "?"),
    server.key && hasKey() ? h("button", { class: "quiet", type: "button", onclick: () => { setKey(""); tools(); route(); } }, "Forget key") : null);
}

let shortcuts = true;
async function help() {
  const rows = [["g h", "home"], ["g n", "new crawl"], ["g a", "agent"], ["g f", "read a file"], ["/", "filter the list"], ["j k", "next and previous row or page"], ["Enter", "open"],
    ["e", "explain why a URL is or is not in the crawl"], ["c", "cancel the job (asks first)"], ["Esc", "close, or back to the list"], ["?", "this help"]];
  const off = h("input", { type: "checkbox", checked: shortcuts, onchange: () => { shortcuts = off.checked; } });
  await ask("Keys of the keyboard", h("div", { class: "stack" }, h("dl", { class: "pairs" }, rows.flatMap(([k, what]) => [h("dt", null, k.split(" ").map((c) => [h("kbd", null, c), " "])), h("dd", null, what)])),
    h("label", { class: "check" }, off, "Use these keys")), [["Close", "", "main"]]);
}

let g = 0; // when g was pressed
addEventListener("keydown", (e) => {
  if (!shortcuts || e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, textarea, select, dialog")) return;
  const second = Date.now() - g < 1200 ? { h: "#/", n: "#/new", a: "#/agent", f: "#/file" }[e.key] : undefined;
  g = e.key === "g" ? Date.now() : 0;
  if (second) go(second);
  else if (e.key === "?") help();
  else if (e.key === "/" && main.querySelector("input[type=search]")) main.querySelector("input[type=search]").focus();
  else if (!view?.keys?.(e)) return;
  e.preventDefault();
});
addEventListener("hashchange", () => { route(); main.focus({ preventScroll: true }); announce(document.title, true); });
addEventListener("keylost", () => { setKey(""); tools(); note("The server no longer accepts the key."); route(); });

try { Object.assign(server, await call("api/system")); } catch (err) { note(err.message); }
tools();
route();
