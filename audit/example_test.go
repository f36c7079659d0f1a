// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"context"
	"fmt"
	"time"

	"example.com/curlew/audit"
)

// stdout is a sink that prints lines.
type stdout struct{ audit.Encoder }

func (s stdout) Write(_ context.Context, events []audit.Event) error {
	for i := range events {
		fmt.Printf("%s\n", s.Append(nil, &events[i]))
	}
	return nil
}

// A queue accepts events from the program and passes them to a sink.
func Example() {
	ctx := context.Background()
	q := &audit.Queue{Sink: stdout{audit.Encoder{Format: audit.CEF, Version: "1"}}}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	err := audit.Send(ctx, q, audit.Event{
		ScrapeID: "s1", TeamID: "t1", Username: "ada=admin\nrt=0", Started: at, Completed: at.Add(time.Second),
		URL: "https://user:secret@bad.example/login#form", Domain: "bad.example", HTTPMethod: "GET",
		Result: audit.Blocked, Threat: &audit.Threat{Rule: "blacklist"},
	})
	if err != nil {
		fmt.Println(err)
	}
	if err := q.Close(ctx); err != nil {
		fmt.Println(err)
	}
	// Output: CEF:0|curlew|curlew|1|blocked|scrape_activity|7|rt=1767323046000 start=1767323045000 end=1767323046000 request=https://bad.example/login requestMethod=GET dhost=bad.example suser=ada\=admin\nrt\=0 outcome=failure act=denied externalId=s1 cs1=blacklist cs1Label=rule cs2=t1 cs2Label=team
}
