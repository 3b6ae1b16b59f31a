import { sql } from "kysely";
import { test } from "vitest";
import { startWorld } from "#kernel/testing/world.ts";
test("plans", async () => {
  await using world = await startWorld();
  await world.sql(`insert into events (epoch, workspace_id, environment, topic, type, actor_id, actor_type, actor_name, resource_type, resource_id, correlation_id, causation_id, created_at, data)
    select 1, $1, 'production', 't' || (n % 50), 'x', 'a','user','a','message','r' || n,'c' || (n % 1000), case when n % 2 = 0 then 'x' end, now(), '{}' from generate_series(1,100000) n`, [world.home]);
  await world.sql("analyze events");
  await world.kernel.db.read({ workspace: world.home, environment: "production" }, async (tx) => {
    const show = async (text: any) => console.log((await text.execute(tx)).rows.map((r: any) => r["QUERY PLAN"]).join("\n"));
    const rowsMax = 51;
    await show(sql`explain (analyze, buffers off) select e.*, (e.epoch < (select epoch from installation) or e.xid < pg_snapshot_xmin(pg_current_snapshot())) as settled
      from (select p.epoch, p.xid, p.seq
              from unnest(${["t1", "t2", "t3", "zz"]}::text[]) as t (topic)
              cross join lateral
                (select e.epoch, e.xid, e.seq from events e
                  where e.topic = t.topic
                    and (e.epoch, e.xid, e.seq) > (1::smallint, '5'::xid8, 90000::bigint)
                  order by e.epoch, e.xid, e.seq limit ${rowsMax}) p
             order by p.epoch, p.xid, p.seq limit ${rowsMax}) p
      join events e on (e.epoch, e.xid, e.seq) = (p.epoch, p.xid, p.seq)
     order by e.epoch, e.xid, e.seq`);
    await show(sql`explain (analyze, buffers off) select e.topic, count(*), max(e.created_at) from events e, readers r
       where r.name='x' and (e.epoch, e.xid, e.seq) > (r.epoch, r.xid, r.seq) group by e.topic`);
    await show(sql`explain (analyze, buffers off) select e.* from events e
     where e.correlation_id = 'c2' and e.causation_id is not null
     order by e.epoch, e.xid, e.seq limit 1001`);
    await show(sql`explain (analyze, buffers off) select e.*
      from (select distinct epoch, xid from unnest(${[1, 1]}::smallint[], ${["750", "751"]}::xid8[]) as p (epoch, xid)) p
      join events e on e.epoch = p.epoch and e.xid = p.xid
     where e.correlation_id = 'c2' and e.causation_id is null
     order by e.epoch, e.xid, e.seq limit 1001`);
  });
});
