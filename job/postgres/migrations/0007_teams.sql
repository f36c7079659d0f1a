-- What the servers know of teams together: keys, threat policies and rates.

create table curlew.api_key (
	hash    bytea primary key, -- SHA-256 of the key, which itself is not stored
	id      uuid not null unique,
	team    text not null,
	name    text not null,
	last4   text not null,     -- last four characters, for people
	created timestamptz not null default clock_timestamp(),
	expires timestamptz,
	revoked timestamptz
);

create index on curlew.api_key (team);

create table curlew.threat_policy (
	team   text primary key,
	policy jsonb not null -- what the team has set for itself
);

-- Buckets of tokens. They are not worth a write to the log: after a crash of the server
-- all are full again, as they are after a minute without requests.
create unlogged table curlew.rate (
	team       text not null,
	class      text not null,
	per_minute bigint not null, -- size of the bucket, and what it gains in a minute
	level      bigint not null, -- in tokens of 60,000,000, so that a microsecond adds per_minute
	taken      bigint not null, -- tokens that the latest statement has got
	at         timestamptz not null,
	primary key (team, class)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
