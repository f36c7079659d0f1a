-- Slots of teams: how many pages of a team a process may process at once. Every change of
-- the rows of a team holds an advisory lock on it. A process with an earlier schema has
-- no rows, and limits only its own pages.

create table curlew.slot (
	team    text not null,
	process uuid not null,
	held    int not null, -- slots that the process holds
	wants   int not null, -- pages in progress, and pages that wait for a slot
	at      timestamptz not null default clock_timestamp(), -- the process has no slot since then
	primary key (team, process)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

create index on curlew.slot (process);

alter table curlew.process alter column fences set default '{0,0,0,0}';
