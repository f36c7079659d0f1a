// SPDX-License-Identifier: Apache-2.0

// Package openai calls models through the chat completions API of OpenAI, which other
// servers provide too.
//
//	model := &openai.Model{URL: "https://api.openai.com/v1", Key: key}
//	engine := agent.Engine{Model: model, Fetch: pages}
//
// A [Model] adapts to the server. It requests replies in the strictest response format
// that the server accepts, and remembers for each model which one that is: a strict
// JSON Schema, a JSON Schema, any JSON object, or text. It accepts replies with fences,
// with prose around the object, with trailing commas, and with JSON inside a string. It
// does not accept two objects. It uses no tools, no streams and no sampling.
//
// A request is tried up to four times. Each try may take two minutes, and all together
// four. Between tries it waits as long as the server asks for in a header or in the
// words of its error. After a status of 429, half as many requests are sent at once,
// and one more for each 20 that succeed.
//
// # Security
//
// The URL and the key are the operator's. The client reaches only that origin, wherever
// it is, and follows no redirect, so that key and prompt are sent nowhere else. Bodies
// are limited to 8 MiB, and those of errors to 64 KiB. The key appears in no error,
// log line or text of a Model.
package openai
