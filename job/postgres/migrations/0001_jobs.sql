-- Jobs, what they have yielded, and the records of their frontiers.

create table curlew.process (
	id    uuid primary key,
	name  text not null,
	until timestamptz not null -- it is taken for dead after this time
);

create table curlew.job (
	id      uuid primary key,
	kind    text not null,
	owner   text not null,
	spec    bytea not null,
	state   text not null check (state in ('running', 'completed', 'failed', 'cancelled')),
	err     text not null default '',
	keep    bigint not null, -- nanoseconds
	created timestamptz not null,
	ended   timestamptz,
	expires timestamptz,

	n     bigint[] not null default '{}', -- number of items, by kind
	cost  bigint not null default 0,
	crawl json,                           -- figures of the frontier

	holder  uuid,                      -- process that works on the job
	epoch   bigint not null default 0, -- fencing token: it grows whenever a process takes over the job
	written bigint not null default 0, -- number of writes of all holders
	began   bigint not null default 0, -- written, when the holder took over the job
	crashes int not null default 0     -- how many holders have died in succession without a write
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

create index on curlew.job (owner, id);
create index on curlew.job (id) where state = 'running';
create index on curlew.job (holder) where state = 'running';
create index on curlew.job (expires) where expires is not null;

-- Both tables have a partition for each day on which jobs were created, because
-- the identifier of a job begins with its time.
create table curlew.item (
	job   uuid not null,
	kind  smallint not null,
	n     bigint not null,
	cost  int not null,
	input int not null,
	data  bytea not null,
	primary key (job, kind, n)
) partition by range (job);

create table curlew.record (
	job  uuid not null,
	n    bigint not null,
	head bytea not null,
	primary key (job, n)
) partition by range (job);
