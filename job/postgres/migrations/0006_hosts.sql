-- What the processes know of hosts together; see docs/decisions/009-hosts.md. A host is
-- named by a hash, so that the hosts of jobs with zero retention cannot be read here.

create table curlew.host (
	id    uuid primary key,
	last  timestamptz, -- end of the last answer that a process has told
	ready timestamptz, -- earliest time of the next request
	gap   bigint,      -- adaptive pause in microseconds, or null
	cap   int,         -- adaptive limit of requests in flight, or null
	at    timestamptz not null default clock_timestamp() -- of the last change
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

create index on curlew.host (at);

-- A process that holds a host may request it. The row of the host is locked by every
-- change of its uses.
create table curlew.host_use (
	host    uuid not null,
	process uuid not null,
	held    boolean not null default false,
	gap     bigint not null,                -- pause that the process needs, in microseconds
	look    boolean not null default false, -- something has changed that the process should read
	at      timestamptz not null default clock_timestamp(), -- the process waits since then
	primary key (host, process)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

create index on curlew.host_use (process);

create table curlew.robots (
	id    uuid primary key, -- hash of the key of the scheduler
	body  bytea,
	until timestamptz not null
);

create index on curlew.robots (until);
