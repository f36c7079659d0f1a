// SPDX-License-Identifier: Apache-2.0

// Starts and stops the programs that the scripts need.

import { spawn } from "node:child_process";

const children = [];
let printed = ""; // by all programs

// start runs a program and resolves with the URL in its first line that contains one.
export function start(program, args, env = {}) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  return new Promise((resolve, reject) => {
    let out = "";
    child.on("exit", (code) => reject(new Error(`${program} ended with ${code}: ${out}`)));
    child.stdout.on("data", (chunk) => {
      out += chunk;
      printed += chunk;
      const url = out.match(/http:\/\/[^\s"]+/);
      if (url) resolve(url[0].replace(/\/$/, ""));
    });
  });
}

// line resolves with the match of what a program has printed, or prints.
export async function line(pattern) {
  for (;;) {
    const found = printed.match(pattern);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// stop ends all started programs.
export function stop() {
  for (const child of children) child.removeAllListeners("exit").kill("SIGTERM");
}
