/**
 * SQL for a shifted clock in front of PostgreSQL's own, except for statements that use the full name of the original.
 */

/** Creates it with the true time. */
export const CREATE_SHIFTED_CLOCK = `
  create schema shifted;
  create table shifted.away (away interval not null);
  insert into shifted.away values ('0');
  create function shifted.clock_timestamp() returns timestamptz language sql volatile as
    'select pg_catalog.clock_timestamp() + (select away from shifted.away)';
  create function shifted.now() returns timestamptz language sql stable as
    'select pg_catalog.now() + (select away from shifted.away)';
  grant usage on schema shifted to public;
  grant select on shifted.away to public;`;

/** New connections use it, and migrations still create their objects in the usual schema. */
export const USE_SHIFTED_CLOCK =
  "do $$ begin execute format('alter database %I set search_path = public, shifted, pg_catalog', current_database()); end $$";

/** Shifts it from the true time by `$1`. */
export const MOVE_SHIFTED_CLOCK = "update shifted.away set away = $1";
