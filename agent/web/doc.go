// SPDX-License-Identifier: Apache-2.0

// Package web brings web pages to an agent: URL -> page with Markdown and links.
//
// A [Fetcher] makes an [example.com/curlew/agent.Fetcher] out of a fetch.Client.
// It obeys robots.txt, keeps the pace of hosts, and reads documents of every kind
// that package parse knows:
//
//	engine := agent.Engine{
//		Model: &openai.Model{URL: "https://api.openai.com/v1", Key: key},
//		Fetch: new(web.Fetcher), // public addresses only
//	}
//	result, err := engine.Run(ctx, agent.Task{Prompt: "Who repairs herons in Bern?"})
//
// A program that has a curlew.Service does not need it: Service.Agents fills in
// a Fetcher of its own, which shares memory, slots and hosts with the jobs.
package web
