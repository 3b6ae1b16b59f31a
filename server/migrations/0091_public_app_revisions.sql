-- Whoever changes how an app is open can say which state they have seen.
alter table app_publications add column revision integer not null default 1;
