// The request that started a job, or that a form is about to send, as a command and as
// programs. The server writes the texts. They read the API key from an environment variable,
// so the key of this page is not in them.

import { h, put, call, apiURL, copy } from "./lib.js";

const base = () => `base=${encodeURIComponent(apiURL("/").href)}`;

// codeOfJob returns the request that started a job, or the one that scrapes its page n again.
export const codeOfJob = (id, n, signal) => call(`api/jobs/${encodeURIComponent(id)}/request?${n === undefined ? "" : `page=${n}&`}${base()}`, { signal });

// codeOf returns a request that has not been sent. name is the name of the call, such as crawl.
export const codeOf = (name, body, signal) => call(`api/code/${name}?${base()}`, { method: "POST", body: JSON.stringify(body), signal });

const languages = [["curl", "curl", "A command for a shell"], ["go", "Go", "A program with package client"], ["js", "JavaScript", "A module with the official client"]];
let language = "curl"; // the last one that was chosen, so that all requests show the same

// requestView shows the code that load() promises. update(load) shows other code.
export function requestView(load, signal) {
  const view = h("div", { class: "stack request" });
  let newest = 0; // answers that arrive after a newer request are ignored
  const show = (code) => {
    const buttons = languages.map(([id, name, title]) => h("button", { type: "button", class: id === language ? "" : "quiet", title, "aria-pressed": id === language, onclick: () => { language = id; show(code); view.querySelector("[aria-pressed=true]").focus(); } }, name));
    put(view, code.stored ? h("h2", null, "Scrape the page again") : null, h("div", { class: "row", role: "group", "aria-label": "Language of the request" }, buttons, h("button", { type: "button", class: "push", onclick: () => copy(code[language]) }, "Copy")),
      h("pre", { class: "code", tabindex: 0, role: "region", "aria-label": `The request in ${languages.find(([id]) => id === language)[1]}` }, code[language]),
      h("p", { class: "hint" }, "Set the environment variable ", h("code", null, "CURLEW_API_KEY"), " to your key."),
      (code.notes ?? []).map((text) => h("p", { class: "alert" }, text)),
      code.stored ? [h("div", { class: "row" }, h("h2", null, "Get the stored document"), h("button", { type: "button", class: "push", onclick: () => copy(code.stored) }, "Copy")), h("pre", { class: "code", tabindex: 0, role: "region", "aria-label": "The request for the stored document" }, code.stored)] : null);
  };
  const update = async (next) => {
    const mine = ++newest;
    try {
      const code = await next();
      if (mine === newest) show(code);
    } catch (err) {
      if (!signal.aborted && mine === newest) put(view, h("p", { class: "alert", role: "status" }, err.message));
    }
  };
  put(view, h("p", { class: "muted" }, "Loading …"));
  if (load) update(load);
  return { el: view, update };
}
