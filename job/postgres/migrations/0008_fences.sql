-- If the answer to a statement is lost, the server may still execute it, even long after
-- its process has gone on. A process then raises its fence: a statement that was sent
-- before can only fail from then on. Each goroutine that exchanges something with the
-- database has a number of its own in fences. Programs with an earlier schema have none.

alter table curlew.process add column fences bigint[] not null default '{0,0,0}';

-- enter begins a transaction of a process. It fails if the fence is higher than n.
create function curlew.enter(process uuid, lane int, n bigint) returns void language plpgsql as $$
begin
	perform pg_advisory_xact_lock(hashtextextended(enter.process::text, enter.lane));
	if exists (select from curlew.process p where p.id = enter.process and p.fences[enter.lane] > enter.n) then
		raise exception 'the process has gone on without this statement' using errcode = 'serialization_failure';
	end if;
end $$;

-- raise_fence ends a transaction that has entered, and keeps those that have not from
-- entering with a number below n. It returns false if there is no such process. If the
-- connection is dead and only a part of the transaction has arrived, the server would
-- otherwise keep its locks for hours.
create function curlew.raise_fence(process uuid, lane int, n bigint) returns bool language plpgsql as $$
declare
	lock constant bigint := hashtextextended(raise_fence.process::text, raise_fence.lane);
begin
	perform pg_terminate_backend(l.pid) from pg_locks l where l.locktype = 'advisory' and l.granted and l.objsubid = 1
		and l.database = (select oid from pg_database where datname = current_database())
		and (l.classid::bigint << 32 | l.objid::bigint) = lock;
	perform pg_advisory_xact_lock(lock);
	update curlew.process p set fences[raise_fence.lane] = greatest(p.fences[raise_fence.lane], raise_fence.n) where p.id = raise_fence.process;
	return found;
end $$;
