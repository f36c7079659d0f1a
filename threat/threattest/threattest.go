// SPDX-License-Identifier: Apache-2.0

// Package threattest tests implementations of threat.Classifier.
package threattest

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/curlew/threat"
)

// prompt is the time in which a classifier must return after its ctx has ended.
const prompt = 5 * time.Second

// Check tests that the classifiers that open returns fulfill the contract of
// [threat.Classifier]. Each subtest calls open once, and open closes the
// classifier by t.Cleanup. The classifier must give the URL bad a score of at
// least [threat.DefaultThreshold], and the URL good a lower one.
func Check(t *testing.T, open func(t *testing.T) threat.Classifier, bad, good string) {
	t.Helper()
	b, g := parse(t, bad), parse(t, good)
	t.Run("one", func(t *testing.T) {
		c := open(t)
		for range 2 { // twice, because a cached verdict must be equal
			checkAnswer(t, c, []threat.Target{b}, []bool{true})
			checkAnswer(t, c, []threat.Target{g}, []bool{false})
		}
	})
	t.Run("batch", func(t *testing.T) {
		c := open(t)
		checkAnswer(t, c, []threat.Target{b, g}, []bool{true, false})
		checkAnswer(t, c, []threat.Target{g, b, g, g, b}, []bool{false, true, false, false, true})
		if v, err := c.Classify(t.Context(), nil); err != nil || len(v) != 0 {
			t.Errorf("no targets: %v, %v; want no verdicts and no error", v, err)
		}
	})
	t.Run("NoStore", func(t *testing.T) {
		c := open(t)
		for range 2 {
			private := []threat.Target{b, g}
			private[0].NoStore, private[1].NoStore = true, true
			checkAnswer(t, c, private, []bool{true, false})
			checkAnswer(t, c, []threat.Target{b, g}, []bool{true, false})
		}
	})
	t.Run("keeps nothing", func(t *testing.T) { checkAlias(t, open(t), b, g) })
	t.Run("concurrent", func(t *testing.T) {
		c := open(t)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { checkAnswer(t, c, []threat.Target{b, g}, []bool{true, false}) })
		}
		wg.Wait()
	})
	t.Run("ctx", func(t *testing.T) { checkCtx(t, open(t), b) })
}

func parse(t *testing.T, url string) threat.Target {
	t.Helper()
	tg, err := threat.ParseTarget(url)
	if err != nil {
		t.Fatal(err)
	}
	return tg
}

// checkAnswer checks that the classifier reports exactly the bad targets.
func checkAnswer(t *testing.T, c threat.Classifier, targets []threat.Target, bad []bool) {
	t.Helper()
	before := slices.Clone(targets)
	verdicts, err := c.Classify(t.Context(), targets)
	if err != nil {
		t.Errorf("Classify: %v", err)
		return
	}
	if !reflect.DeepEqual(targets, before) {
		t.Error("Classify has changed its targets")
	}
	if len(verdicts) != len(targets) {
		t.Errorf("%d verdicts for %d targets", len(verdicts), len(targets))
		return
	}
	for i, v := range verdicts {
		if v.Known && (v.Score < 0 || v.Score > 100) {
			t.Errorf("%s: score %d, want 0 to 100", targets[i].URL, v.Score)
		}
		if got := v.Known && v.Score >= threat.DefaultThreshold; got != bad[i] {
			t.Errorf("%s, target %d of %d: score %d (known %v), want a bad one: %v", targets[i].URL, i, len(targets), v.Score, v.Known, bad[i])
		}
		if v.Known && v.Provider == "" {
			t.Errorf("%s: the verdict names no provider", targets[i].URL)
		}
	}
}

// checkAlias changes the targets after a call, and the verdicts.
func checkAlias(t *testing.T, c threat.Classifier, bad, good threat.Target) {
	targets := []threat.Target{bad}
	verdicts, err := c.Classify(t.Context(), targets)
	if err != nil || len(verdicts) != 1 {
		t.Fatalf("%v, %v", verdicts, err)
	}
	want := slices.Clone(verdicts[0].Categories)
	targets[0] = good
	for i := range verdicts[0].Categories {
		verdicts[0].Categories[i] = "changed"
	}
	verdicts, err = c.Classify(t.Context(), []threat.Target{bad})
	if err != nil || len(verdicts) != 1 {
		t.Fatalf("%v, %v", verdicts, err)
	}
	if !slices.Equal(verdicts[0].Categories, want) {
		t.Errorf("categories %q, before their caller changed them %q", verdicts[0].Categories, want)
	}
}

// checkCtx calls with a ctx that has ended. A cached answer is allowed.
func checkCtx(t *testing.T, c threat.Classifier, bad threat.Target) {
	why := errors.New("ended before")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(why)
	start := time.Now()
	verdicts, err := c.Classify(ctx, []threat.Target{bad})
	if took := time.Since(start); took > prompt {
		t.Errorf("with an ended ctx it took %v", took)
	}
	switch {
	case err == nil && len(verdicts) != 1:
		t.Errorf("%d verdicts and no error", len(verdicts))
	case err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, why):
		t.Errorf("error %v, want ctx's", err)
	}
}
