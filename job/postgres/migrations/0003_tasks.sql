-- Tasks that the process which works on a job shares with others. They are not
-- logged: after a crash of the server the table is empty, and the process that
-- works on the job does its tasks again.

create unlogged table curlew.task (
	job    uuid not null,
	epoch  bigint not null,        -- of the job when the task was shared
	n      bigint not null,        -- names the task within the epoch
	holder uuid not null,          -- process that works on the job and wants the result
	kind   text not null,          -- which processes can do it
	gap    bigint not null,        -- nanoseconds; see job.Task
	at     timestamptz not null default clock_timestamp(),
	data   bytea not null,
	worker uuid,                   -- process that does it; null while nobody does
	revoked boolean not null default false, -- the result is not wanted any more
	result bytea,                  -- null until it is done; empty if it was given up
	primary key (job, epoch, n)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

-- Results that compress badly anyway are not worth the time.
alter table curlew.task alter column result set storage external;
alter table curlew.task alter column data set storage external;

create index on curlew.task (holder);
create index on curlew.task (worker) where worker is not null;
create index on curlew.task (kind) where worker is null;

-- What a process helps with, and how many tasks it does at once. Programs with an
-- earlier schema leave both null.
alter table curlew.process add column helps text, add column room int;
