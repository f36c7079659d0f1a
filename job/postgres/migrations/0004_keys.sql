-- Idempotency keys. A key outlives its job, so it does not refer to it.

create table curlew.idempotency (
	owner   text not null,
	kind    text not null,
	name    text not null,
	job     uuid not null,  -- that was created or appended to
	data    bytea not null, -- what the first caller gave with the key
	expires timestamptz not null,
	primary key (owner, kind, name)
);

create index on curlew.idempotency (expires);
