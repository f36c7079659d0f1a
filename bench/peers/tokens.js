// SPDX-License-Identifier: Apache-2.0

// tokens.js reads a text of JSON in each line and prints how many tokens it has
// by cl100k_base and by o200k_base.
const { createInterface } = require("node:readline");
const encodings = ["cl100k_base", "o200k_base"].map((name) => require("gpt-tokenizer/cjs/encoding/" + name));

createInterface({ input: process.stdin }).on("line", (line) => {
	const text = JSON.parse(line);
	console.log(JSON.stringify(encodings.map((e) => e.countTokens(text, { allowedSpecial: "all" }))));
});
