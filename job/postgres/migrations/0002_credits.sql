-- Credits of teams. Times and plans are those of the processes; the row of a
-- team is locked by every change of its credits.

create table curlew.balance (
	team  text primary key,
	spent bigint not null default 0,
	held  bigint not null default 0 -- sum of the reservations
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

create table curlew.reservation (
	team    text not null,
	op      text not null,
	n       bigint not null,
	process uuid not null, -- that made it, or continues its work
	at      timestamptz not null default now(),
	primary key (team, op)
);

create table curlew.spent (
	team  text not null,
	month date not null, -- the first day, in UTC
	n     bigint not null,
	primary key (team, month)
);

-- Operations that were committed. They are remembered for a week, because work
-- that another process continues may commit its operation a second time.
create table curlew.operation (
	team text not null,
	op   text not null,
	at   timestamptz not null default now(),
	primary key (team, op)
);

create index on curlew.operation (at);
