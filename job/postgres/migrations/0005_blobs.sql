-- Items whose data is in a store of objects outside of the database.

alter table curlew.item
	add column blob uuid, -- names the object; null if the data is in this row
	add column part bytea; -- where the data is in the object, and its checksum

-- The store of objects that all processes use. The table has at most one row.
create table curlew.blobs (
	id uuid primary key -- first part of the names of all its objects
);
