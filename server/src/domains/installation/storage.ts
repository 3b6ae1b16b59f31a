import Type from "typebox";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { nullable, Time } from "#kernel/schema/schema.ts";
import { operatorAccess } from "./access.ts";

const Storage = Type.Object(
  {
    databaseBytes: Type.Integer(),
    workspaces: Type.Array(
      Type.Object({
        slug: Type.String(),
        name: Type.String(),
        createdAt: Time,
        members: Type.Integer(),
        events: Type.Integer({
          description: "Events in the log, except for very recent ones",
        }),
        lastEventAt: nullable(Time),
        fileBytes: Type.Integer(),
        tableBytes: Type.Integer({ description: "Size of its tables with indexes" }),
      }),
      { description: "The 500 workspaces with the most events" },
    ),
    largestTables: Type.Array(
      Type.Object({ name: Type.String(), bytes: Type.Integer(), rows: Type.Integer() }),
      { description: "Tables of the product. Row counts are estimates" },
    ),
  },
  { title: "Storage" },
);

/** One catalog query for the tables of all workspaces. Their schema names contain the workspace. */
const WORKSPACES = `
  with tables as (
    select right(n.nspname, 32) as workspace, sum(pg_total_relation_size(c.oid)) as bytes
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname like 'tables\\_%' and c.relkind = 'r'
     group by 1
  ), logs as (
    select workspace_id, sum(events) as events, max(last_event_at) as last_event_at
      from topic_counts group by 1
  )
  select w.slug, w.name, w.created_at as "createdAt",
         (select count(*) from memberships m where m.workspace_id = w.key)::int as members,
         coalesce(l.events, 0)::float8 as events, l.last_event_at as "lastEventAt",
         coalesce(f.bytes, 0)::float8 as "fileBytes", coalesce(t.bytes, 0)::float8 as "tableBytes"
    from workspaces w
    left join logs l on l.workspace_id = w.key
    left join file_usage f on f.workspace_id = w.key
    left join tables t on t.workspace = replace(w.key::text, '-', '')
   order by coalesce(l.events, 0) desc, w.slug limit 500`;

const LARGEST = `
  select c.relname as name, pg_total_relation_size(c.oid)::float8 as bytes,
         greatest(c.reltuples, 0)::float8 as rows
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = 'public' and c.relkind = 'r'
   order by pg_total_relation_size(c.oid) desc limit 12`;

interface WorkspaceRow {
  readonly slug: string;
  readonly name: string;
  readonly createdAt: string;
  readonly members: number;
  readonly events: number;
  readonly lastEventAt: string | null;
  readonly fileBytes: number;
  readonly tableBytes: number;
}

export const readStorage = query({
  id: "installation.read_storage",
  route: "GET /api/v1/installation/storage",
  summary: "Get the storage usage of each workspace",
  ...operatorAccess,
  response: item(Storage),
  async prepare({ db }) {
    const [[size], workspaces, largestTables] = await Promise.all([
      db.system<{ bytes: number }>("select pg_database_size(current_database())::float8 as bytes"),
      db.system<WorkspaceRow>(WORKSPACES),
      db.system<{ name: string; bytes: number; rows: number }>(LARGEST),
    ]);
    return { databaseBytes: size?.bytes ?? 0, workspaces, largestTables };
  },
  run: async (_ctx, _input, storage) => storage,
});
