-- Files that were uploaded and wait to be parsed. Their bytes are in the store of blobs.

create table curlew.upload (
	id           uuid primary key,
	team         text not null,
	name         text not null, -- of the file; empty when the upload has expired
	content_type text not null,
	made         timestamptz not null default clock_timestamp(),
	expires      timestamptz not null,
	object       uuid,          -- folder of the file; null if there is none
	size         bigint not null default 0,
	sums         bytea,         -- SHA-256 of each part of 4 MiB
	taken        uuid           -- process that parses it
);

create index on curlew.upload (team);
create index on curlew.upload (expires) where object is not null;

create table curlew.secret (
	name  text primary key,
	value bytea not null
);
