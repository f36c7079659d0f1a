// SPDX-License-Identifier: Apache-2.0

// A proxy between a client and a server records what the client calls.

import http from "node:http";
import net from "node:net";

// proxy forwards requests to target. It records all of them in seen, as "METHOD path" or
// "UPGRADE path", and those that were answered with success in answered.
export async function proxy(target) {
  const seen = [], answered = [];
  const { hostname, port } = new URL(target);
  const server = http.createServer((req, res) => {
    seen.push(`${req.method} ${req.url}`);
    const onward = http.request({ hostname, port, method: req.method, path: req.url, headers: req.headers }, (answer) => {
      if (answer.statusCode < 300) answered.push(`${req.method} ${req.url}`);
      res.writeHead(answer.statusCode, answer.headers);
      answer.pipe(res);
    });
    onward.on("error", (err) => res.destroy(err));
    req.pipe(onward);
  });
  server.on("upgrade", (req, socket, head) => {
    seen.push(`UPGRADE ${req.url}`);
    const onward = net.connect(Number(port), hostname, () => {
      const lines = [`${req.method} ${req.url} HTTP/1.1`];
      for (let i = 0; i < req.rawHeaders.length; i += 2) lines.push(`${req.rawHeaders[i]}: ${req.rawHeaders[i + 1]}`);
      onward.write(lines.join("\r\n") + "\r\n\r\n");
      onward.write(head);
      onward.once("data", (first) => { if (/^HTTP\/1.1 101 /.test(first)) answered.push(`UPGRADE ${req.url}`); });
      onward.pipe(socket).pipe(onward);
    });
    onward.on("error", () => socket.destroy());
    socket.on("error", () => onward.destroy());
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, seen, answered, close: () => { server.closeAllConnections(); server.close(); } };
}
