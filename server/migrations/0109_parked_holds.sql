-- A hold whose runs can't be begun is tried some times, then kept with the reason until something new comes to it.
alter table trigger_holds add column failures integer not null default 0, add column reason text;
