// The frame around all views: signing in, the address of each view, keyboard shortcuts, and
// the colour theme.

import { h, put, call, setKey, hasKey, ask, note, announce } from "./lib.js";
import { home, newCrawl } from "./home.js";
import { job } from "./crawl.js";
import { storedPage, scrapedPage } from "./reader.js";
import { search } from "./search.js";
import { newQuestion, agentRun } from "./agent.js";
import { file } from "./file.js";
import { account, audit } from "./account.js";

const main = document.getElementById("main");
const menu = [["", "Home"], ["new", "New crawl"], ["search", "Search"], ["agent", "Agent"], ["file", "Read a file"], ["account", "Keys and usage"], ["audit", "Audit"]];
const server = { engines: {}, key: true, ready: true }; // the answer of api/system; until then, a key is needed

let leaving; // aborts the requests of the view that is shown
let view;    // what the view returned: undefined or {keys(event)}, which handles a key press

// viewOf returns the function that shows the view of a path, and its title.
function viewOf([name, id, part]) {
  switch (name) {
    case "": return [home, "Home"];
    case "new": return [newCrawl, "New crawl"];
    case "search": return [search, "Search"];
    case "scrape": return [scrapedPage, "Scrape"];
    case "job": return part === "page" ? [storedPage, "Page"] : [job, "Job"];
    case "agent": return id ? [agentRun, "Agent"] : [newQuestion, "Agent"];
    case "file": return [file, "Read a file"];
    case "account": return [account, "Keys and usage"];
    case "audit": return [audit, "Audit"];
    default: return null;
  }
}

// showView shows the view that the address names.
function showView() {
  leaving?.abort();
  leaving = new AbortController();
  view = undefined;
  const [path, query] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const parts = path.split("/").map((p) => { try { return decodeURIComponent(p); } catch { return p; } });
  showMenu(parts[0]);
  if (server.key && !hasKey()) { setTitle("Sign in"); put(main, signIn()); main.querySelector("input").focus(); return; }
  const [show, title] = viewOf(parts) ?? [];
  if (!show) { setTitle("Not found"); put(main, h("h1", null, "There is no such page"), h("p", null, h("a", { href: "#/" }, "Go to the home page"))); return; }
  setTitle(title);
  put(main);
  scrollTo(0, 0);
  view = show(main, { signal: leaving.signal, query: new URLSearchParams(query), server, navigate, id: parts[1], n: Number(parts[3]) });
}

const setTitle = (text) => { document.title = text === "Home" ? "curlew" : `${text} – curlew`; };
function navigate(hash) { if (location.hash === hash) showView(); else location.hash = hash; }

// showMenu lists the views and marks the current one.
function showMenu(name) {
  const current = { job: "", scrape: "search" }[name] ?? name;
  put(document.getElementById("nav"), h("ul", null, menu.map(([id, text]) => h("li", null, h("a", { href: `#/${id}`, "aria-current": id === current ? "page" : null }, text)))));
}

// signIn is the form that asks for the key.
function signIn() {
  const input = h("input", { type: "password", id: "key", autocomplete: "off", spellcheck: "false", required: true, "aria-describedby": "key-hint" });
  const fault = h("p", { class: "fault", role: "alert" });
  const form = h("form", { class: "stack" }, h("h1", null, "Look into your crawls"),
    h("p", { class: "muted" }, "This server asks for an API key. It is kept in the memory of this page only, and is gone when you reload it."),
    h("div", { class: "field" }, h("label", { for: "key" }, "API key"), input, h("span", { class: "hint", id: "key-hint" }, "The server printed it when it started, or an operator made it with ", h("code", null, "curlew keys new"), ".")),
    fault, h("div", null, h("button", { class: "main" }, "Open the console")));
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    const key = input.value.trim();
    fault.textContent = "";
    try {
      if (!/^[\x21-\x7e]+$/.test(key)) throw new Error("A key has only ASCII letters, digits and signs, and no spaces."); // others cannot be in a header
      await call("api/keys", { tryKey: key });
      setKey(key);
      showTools();
      showView();
    } catch (err) { fault.textContent = err.message; input.select(); }
  });
  return h("div", { class: "sign-in" }, h("div", { class: "panel" }, form));
}

// The theme follows the system until the user chooses one. The browser stores only this choice.
const themes = [["auto", "◐", "Auto"], ["light", "☀", "Light"], ["dark", "☾", "Dark"]];
let theme = 0; // index in themes
try { theme = Math.max(0, themes.findIndex(([name]) => name === localStorage.getItem("curlew-theme"))); } catch { /* the browser forbids storage */ }
function applyTheme() { if (theme === 0) delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = themes[theme][0]; }
applyTheme();

// showTools shows the buttons at the right of the menu.
function showTools() {
  const themeButton = h("button", { class: "quiet", type: "button", title: "Change the colours", onclick: () => {
    theme = (theme + 1) % themes.length;
    try { localStorage.setItem("curlew-theme", themes[theme][0]); } catch { /* the choice then holds until the page is reloaded */ }
    applyTheme();
    labelTheme();
  } });
  const labelTheme = () => {
    const [name, icon, text] = themes[theme];
    put(themeButton, h("span", { "aria-hidden": "true" }, icon), h("span", { class: "wide-only" }, text), h("span", { class: "hidden" }, ` colours: ${name}`));
  };
  labelTheme();
  put(document.getElementById("tools"), themeButton,
    h("button", { class: "quiet", type: "button", title: "Keyboard shortcuts (?)", "aria-label": "Help: keyboard shortcuts", onclick: help }, "?"),
    server.key && hasKey() ? h("button", { class: "quiet", type: "button", onclick: () => { setKey(""); showTools(); showView(); } }, "Forget key") : null);
}

let shortcuts = true; // whether shortcuts are on
async function help() {
  const rows = [["g h", "home"], ["g n", "new crawl"], ["g s", "search"], ["g a", "agent"], ["g f", "read a file"], ["/", "filter the list"], ["j k", "next and previous row or page"], ["Enter", "open"],
    ["e", "explain why a URL is or is not in the crawl"], ["c", "cancel the job (asks first)"], ["Esc", "close, or back to the list"], ["?", "this help"]];
  const box = h("input", { type: "checkbox", checked: shortcuts, onchange: () => { shortcuts = box.checked; } });
  await ask("Keyboard shortcuts", h("div", { class: "stack" }, h("dl", { class: "pairs" }, rows.flatMap(([keys, text]) => [h("dt", null, keys.split(" ").map((key) => [h("kbd", null, key), " "])), h("dd", null, text)])),
    h("label", { class: "check" }, box, "Use these shortcuts")), [["Close", "", "main"]]);
}

let pressedG = 0; // when g was pressed; the second key of a shortcut must follow soon
addEventListener("keydown", (e) => {
  if (!shortcuts || e.ctrlKey || e.metaKey || e.altKey || e.target.closest?.("input, textarea, select, dialog")) return;
  const target = Date.now() - pressedG < 1200 ? { h: "#/", n: "#/new", s: "#/search", a: "#/agent", f: "#/file" }[e.key] : undefined;
  pressedG = e.key === "g" ? Date.now() : 0;
  const filter = main.querySelector("input[type=search]");
  if (target) navigate(target);
  else if (e.key === "?") help();
  else if (e.key === "/" && filter) filter.focus();
  else if (!view?.keys?.(e)) return;
  e.preventDefault();
});
addEventListener("hashchange", () => {
  showView();
  if (!main.contains(document.activeElement)) main.focus({ preventScroll: true }); // unless the view has focused a field
  announce(document.title, true);
});
addEventListener("keyrefused", () => { setKey(""); showTools(); note("The server no longer accepts the key. It may have expired or been revoked."); showView(); });

try { Object.assign(server, await call("api/system")); } catch (err) { note(err.message); }
showTools();
showView();
