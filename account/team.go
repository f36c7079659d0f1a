// SPDX-License-Identifier: Apache-2.0

package account

import (
	"time"

	"example.com/curlew/threat"
)

// Unlimited switches a bound off where zero means its default.
const Unlimited = -1

// Team is whose key a request carries.
type Team struct {
	ID     string // owns jobs and credits; shown to the team's clients
	Policy Policy

	KeyID, KeyName string // of the key that was used, for the audit log; may be empty
}

// Retention says whether a team may ask for zero data retention.
type Retention uint8

// Values of [Policy.ZeroRetention].
const (
	RetentionOff     Retention = iota // asking for it is refused
	RetentionAllowed                  // a request may ask for it
	RetentionForced                   // every request has it
)

// Policy is what a team may do. The zero value is the contract's default.
type Policy struct {
	AllowIgnoreRobots    bool // ignoreRobotsTxt
	AllowRobotsUserAgent bool // robotsUserAgent
	ZeroRetention        Retention
	Threat               threat.Team

	MaxConcurrency int // pages at once over all requests and jobs; zero means 8
	MaxQueuedPages int // waiting pages of all jobs; zero means 50,000, -1 no bound
	MaxPages       int // largest limit of a crawl, which is clamped; zero and -1 mean none
	Rates          Rates

	// What a key may ask for: names of endpoints (crawl, batch, agent, parse,
	// scrape, map, search) and of formats. Nil means all. Reading and cancelling
	// what is there is open to every key.
	AllowEndpoints, AllowFormats []string

	// Models are names of models that agents may ask for besides spark-1-mini
	// and spark-1-pro; the Service's engine has to know them.
	Models          []string
	MaxAgentCredits int // largest maxCredits of an agent, which is clamped; zero and -1 mean none
	FreeAgentRuns   int // agents a day (UTC) that are not billed, of at most 2,500 credits each

	NoSkipTLS bool          // skipTlsVerification is ignored, with a warning
	Retention time.Duration // life of a job after its end; zero means the Service's

	// Blocklist are domains that the team may not ask for: example.com covers
	// its subdomains too. Case, dots around a name, and whether it is written in
	// Unicode do not matter.
	Blocklist []string
}

// Rates are requests per minute by class of endpoint. Zero means no bound.
type Rates struct {
	Crawl   int // POST of crawls and batches
	Agent   int // POST of agents
	Parse   int
	Scrape  int
	Map     int
	Status  int // reads and cancellations of jobs; official clients give up at the first 429
	Account int
}
