// SPDX-License-Identifier: Apache-2.0

package otelcurlew

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"example.com/curlew/crawl/pace"
	"example.com/curlew/job"
)

// Gauges are the metrics of a store that several processes share, and of the scheduler of
// hosts. They are read when the metrics are collected.
type Gauges struct {
	// Backlog is the method of that name of postgres.Store. If it is nil, there are no
	// metrics of the store.
	Backlog func(ctx context.Context) (job.Backlog, error)

	// Hosts is the method Figures of pace.Hosts. If it is nil, there are no metrics of
	// hosts.
	Hosts func() pace.Figures
}

// Register registers the gauges with a meter. The caller may end them by the method
// Unregister of the registration.
func (g *Gauges) Register(meter metric.Meter) (metric.Registration, error) {
	r := registry{meter: meter}
	var callbacks []metric.Callback
	if g.Backlog != nil {
		callbacks = append(callbacks, g.backlog(&r))
	}
	if g.Hosts != nil {
		callbacks = append(callbacks, g.hosts(&r))
	}
	if err := errors.Join(r.faults...); err != nil {
		return nil, err
	}
	return meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		var faults []error
		for _, f := range callbacks {
			faults = append(faults, f(ctx, o))
		}
		return errors.Join(faults...)
	}, r.all...)
}

// registry collects instruments and the errors of making them.
type registry struct {
	meter  metric.Meter
	all    []metric.Observable
	faults []error
}

// gauge makes an instrument.
func (r *registry) gauge(name, unit, help string) metric.Float64ObservableGauge {
	g, err := r.meter.Float64ObservableGauge("curlew."+name, metric.WithUnit(unit), metric.WithDescription(help))
	if err != nil {
		r.faults = append(r.faults, err)
		return nil
	}
	r.all = append(r.all, g)
	return g
}

// backlog returns the function that reads the store. If that does not answer, it returns
// the error, and reports nothing.
func (g *Gauges) backlog(r *registry) metric.Callback {
	jobs := r.gauge("store.jobs", "{job}", "Running jobs in the store.")
	age := r.gauge("store.job.oldest", "s", "Age of the oldest running job in the store.")
	orphans := r.gauge("store.jobs.orphaned", "{job}", "Running jobs in the store that no living process works on.")
	waiting := r.gauge("store.tasks.waiting", "{task}", "Tasks in the store that no process has begun.")
	oldest := r.gauge("store.task.oldest", "s", "How long the oldest waiting task in the store has waited.")
	taken := r.gauge("store.tasks.taken", "{task}", "Tasks in the store that are in progress.")
	processes := r.gauge("store.processes", "{process}", "Living processes that share the store.")
	lease := r.gauge("store.lease", "s", "Time until this process is taken for dead.")
	return func(ctx context.Context, o metric.Observer) error {
		b, err := g.Backlog(ctx)
		if err != nil {
			return err
		}
		for kind, k := range b.Running {
			of := metric.WithAttributes(attribute.String("kind", kind))
			o.ObserveFloat64(jobs, float64(k.Jobs), of)
			o.ObserveFloat64(age, k.Oldest.Seconds(), of)
		}
		o.ObserveFloat64(orphans, float64(b.Orphans))
		o.ObserveFloat64(waiting, float64(b.Waiting))
		o.ObserveFloat64(oldest, b.Oldest.Seconds())
		o.ObserveFloat64(taken, float64(b.Taken))
		o.ObserveFloat64(processes, float64(b.Processes))
		o.ObserveFloat64(lease, b.Lease.Seconds())
		return nil
	}
}

// hosts returns the function that reads the scheduler.
func (g *Gauges) hosts(r *registry) metric.Callback {
	known := r.gauge("hosts", "{host}", "Hosts that the scheduler remembers.")
	running := r.gauge("hosts.requests", "{request}", "Requests to hosts that are in flight.")
	waiting := r.gauge("hosts.waiting", "{host}", "Hosts at which a job waits, by the reason.")
	pause := r.gauge("hosts.longest_pause", "s", "The longest pause that a host gets between two requests.")
	return func(_ context.Context, o metric.Observer) error {
		f := g.Hosts()
		o.ObserveFloat64(known, float64(f.Hosts))
		o.ObserveFloat64(running, float64(f.InFlight))
		for _, c := range []pace.Cause{pace.Unreachable, pace.RetryAfter, pace.CrawlDelay, pace.Overload, pace.Busy} {
			o.ObserveFloat64(waiting, float64(f.Waiting[c]), metric.WithAttributes(attribute.String("cause", string(c))))
		}
		o.ObserveFloat64(pause, f.Gap.Seconds())
		return nil
	}
}
