// SPDX-License-Identifier: Apache-2.0

package pace_test

import (
	"testing"
	"testing/synctest"
	"time"

	"example.com/curlew/crawl/pace"
)

func TestFigures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a pace.Hosts
		if f := a.Figures(); f.Hosts != 0 || f.InFlight != 0 || len(f.Waiting) != 0 || f.Gap != 0 {
			t.Errorf("at the beginning: %+v", f)
		}
		p, q := a.Join(pace.Party{}), a.Join(pace.Party{})
		slow := pace.Claim{Delay: time.Second}
		if !p.Take("slow.test", slow).Granted || !p.Take("fast.test", pace.Claim{}).Granted || q.Take("slow.test", slow).Granted {
			t.Fatal("the turns are not as expected")
		}
		f := a.Figures()
		if f.Hosts != 2 || f.InFlight != 2 || f.Waiting[pace.CrawlDelay] != 1 || len(f.Waiting) != 1 || f.Gap != time.Second {
			t.Errorf("with a party that waits: %+v", f)
		}
		p.Leave()
		q.Leave()
		if f := a.Figures(); f.InFlight != 0 || len(f.Waiting) != 0 {
			t.Errorf("at the end: %+v", f)
		}
	})
}
