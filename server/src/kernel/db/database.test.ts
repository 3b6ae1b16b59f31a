import { type RawBuilder, sql } from "kysely";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { Proxy, upstreamOf } from "../../process/testing/proxy.ts";
import { useWorld } from "../testing/world.ts";
import type { Tx } from "./connection.ts";
import { Database, type Partition, type Transaction } from "./database.ts";
import { PREPARED_MAX } from "./statement-names.ts";

const world = await useWorld();
// One connection, so that all transactions share it.
const db: Database = new Database({ ...world.database, poolMax: 1, onError: () => undefined });
const here: Partition = { workspace: world.home, environment: "production" };
const there: Partition = {
  workspace: (await world.workspace("there")).key,
  environment: "production",
};
afterAll(async () => {
  await db.close();
});

const NOTE = "insert into notes (id, title, body, created_at) values ($1, $1, '', now())";
const write = (partition: Partition, id: string) =>
  db.write(partition, (tx) => tx.send(NOTE, [id]));
const read = (partition: Partition) =>
  db.read(partition, async (tx) => {
    const { rows } = await sql<{ id: string }>`select id from notes order by id`.execute(tx);
    return rows.map(({ id }) => id);
  });

test("one connection shows each partition only its rows, in any order of partitions", async () => {
  await write(here, "h1");
  await write(there, "t1");
  expect(await read(there)).toEqual(["t1"]);
  expect(await read(here)).toEqual(["h1"]);
  expect(await read({ ...here, environment: "staging" })).toEqual([]);
  expect(await read(there)).toEqual(["t1"]);
  await expect(write(there, "t1")).rejects.toThrow(/duplicate/);
  expect(await read(here)).toEqual(["h1"]);
});

test("a read transaction rejects writes", async () => {
  await expect(db.read(here, (tx) => sql`delete from notes`.execute(tx))).rejects.toThrow(
    /read-only/,
  );
  expect(await read(here)).toEqual(["h1"]);
});

test("rejects statements after the end of the transaction", async () => {
  let kept: Transaction | undefined;
  await db.write(here, async (session) => {
    kept = session;
    await session.send("select 1", []);
  });
  await db.write(here, async (session) => {
    expect(() => kept?.enter(there)).toThrow(/ended/);
    expect(() => kept?.send("select 1", [])).toThrow(/ended/);
    await expect(sql`select 1`.execute(kept!.tx)).rejects.toThrow(/ended/);
    await session.send(NOTE, ["h2"]);
  });
  expect(await read(here)).toEqual(["h1", "h2"]);
});

test("a failing listener affects neither the commit nor the next transaction", async () => {
  const thrown = db.write(here, async (session) => {
    await session.send(NOTE, ["h3"]);
    session.onCommit(() => {
      throw new Error("a listener");
    });
  });
  await expect(thrown).rejects.toThrow("a listener");
  await write(here, "h4");
  expect(await read(here)).toEqual(["h1", "h2", "h3", "h4"]);
});

test("does not call commit listeners of a failed transaction", async () => {
  let heard = 0;
  const failing = db.write(here, async (session) => {
    session.onCommit(() => (heard += 1));
    void session.send("select 1 / 0", []);
  });
  await expect(failing).rejects.toThrow(/division/);
  expect(heard).toBe(0);
});

test("a write with rollback stores nothing, calls no listeners and keeps its partition", async () => {
  const before = await read(there);
  let heard = 0;
  for (const partition of [there, there, here]) {
    const seen = await db.writeAndRollBack(partition, async (session) => {
      session.onCommit(() => (heard += 1));
      void session.send(NOTE, ["gone"]);
      return session.send("select id from notes where id = 'gone'", []);
    });
    expect(seen).toEqual([{ id: "gone" }]);
  }
  expect([await read(there), heard]).toEqual([before, 0]);
  expect(await read(here)).not.toContain("gone");
  const failing = db.writeAndRollBack(there, (session) => session.send("select 1 / 0", []));
  await expect(failing).rejects.toThrow(/division/);
  expect(await read(there)).toEqual(before);
});

test("a failed savepoint restores the partition of the transaction", async () => {
  await db.write(here, async (session) => {
    const failing = session.attempt(async () => {
      session.enter(there);
      throw new Error("in another partition");
    });
    await expect(failing).rejects.toThrow("in another partition");
    expect(session.partition).toEqual(here);
  });
});

test("a statement that is not awaited fails the commit with its explained error", async () => {
  const thrown = db.write(here, async (session) => {
    void session.send(NOTE, ["h1"], () => new Error("it is there"));
    // This statement fails too, but the first error is reported.
    void session.send(NOTE, ["h8"]);
  });
  await expect(thrown).rejects.toThrow("it is there");
  expect(await read(here)).not.toContain("h8");
});

test("a transaction reports its first error", async () => {
  const explain = () => new Error("There is one already.");
  const ways: readonly ((session: Transaction) => Promise<unknown>)[] = [
    async (session) => session.post(NOTE, ["posted"]),
    (session) => session.send("select 1", []),
    (session) => sql`select 2`.execute(session.tx),
    async (session) => {
      session.post(NOTE, ["posted"]);
      await session.send("select 1", []);
    },
  ];
  // Repeated statements are named and pipelined.
  for (const goOn of [...ways, ...ways, ...ways]) {
    const failing = db.write(here, async (session) => {
      void session.send(NOTE, ["h1"], explain);
      await goOn(session);
    });
    await expect(failing).rejects.toThrow("There is one already.");
  }
  expect(await read(here)).not.toContain("posted");
});

test("runs pipelined statements in order and rolls them back after a failure", async () => {
  for (const round of [1, 2, 3, 4]) {
    await db.write(here, async (session) => {
      session.post(NOTE, [`p${round}`]);
      const rows = await session.send("select id from notes where id = $1", [`p${round}`]);
      expect(rows).toHaveLength(1);
      session.post("delete from notes where id = $1", [`p${round}`]);
      await session
        .attempt(async () => {
          session.post(NOTE, [`q${round}`]);
          throw new Error("Undo it.");
        })
        .catch(() => undefined);
      session.enter(there);
      session.post(NOTE, [`there${round}`]);
    });
  }
  const found = [await read(here), await read(there)].flat();
  expect(found.filter((id) => /^(p|q|there)\d/.test(id))).toEqual(
    [1, 2, 3, 4].map((round) => `there${round}`),
  );
  await db.write(there, (session) =>
    session.send("delete from notes where id like $1", ["there%"]),
  );
});

test("rolls back savepoints separately, including nested ones", async () => {
  const aside: Partition = { ...here, environment: "development" };
  const heard: string[] = [];
  const fail = async (session: Transaction, id: string) => {
    await session.send(NOTE, [id]);
    session.onCommit(() => void heard.push(id));
    void session.send(NOTE, ["a0"], () => new Error(`not ${id}`));
  };
  await db.write(aside, async (session) => {
    await session.send(NOTE, ["a0"]);
    await expect(session.attempt(() => fail(session, "a1"))).rejects.toThrow("not a1");
    await session.attempt(async () => {
      await session.send(NOTE, ["a2"]);
      await expect(session.attempt(() => fail(session, "a3"))).rejects.toThrow("not a3");
    });
    const both = session.attempt(async () => {
      await session.send(NOTE, ["a4"]);
      await session.attempt(() => session.send(NOTE, ["a5"]));
      throw new Error("neither");
    });
    await expect(both).rejects.toThrow("neither");
  });
  expect([await read(aside), heard]).toEqual([["a0", "a2"], []]);
});

test("a table change does not fail prepared statements that read the table", async () => {
  const all = () =>
    db.read(here, async (tx) => (await sql`select * from notes`.execute(tx)).rows.length);
  const count = await all();
  await world.sql("alter table notes add column colour text");
  expect(await all()).toBe(count);
  await db.write(here, async ({ tx }) => {
    await sql`update notes set body = 'x' where id = 'h1' returning *`.execute(tx);
  });
  await world.sql("alter table notes drop column colour");
  await db.write(here, async ({ tx }) => {
    await sql`update notes set body = 'y' where id = 'h1' returning *`.execute(tx);
  });
});

test("limits the prepared statements per connection and keeps the used ones", async () => {
  const pid = sql<{ pid: number }>`select pg_backend_pid() as pid`;
  const names = sql<{ text: string }>`select statement as text from pg_prepared_statements`;
  const ask = <Row>(query: RawBuilder<Row>) =>
    db.read(here, async (tx) => (await query.execute(tx)).rows);
  const first = await ask(pid);
  for (let from = 0; from < 2 * PREPARED_MAX; from += 1_000) {
    const texts = Array.from({ length: 1_000 }, (_, index) => `select ${from + index} as n`);
    await db.read(here, (tx) =>
      Promise.all([...texts, ...texts].map((text) => sql.raw(text).execute(tx))),
    );
  }
  expect(await ask(pid)).not.toEqual(first);
  const last = sql.raw<{ n: number }>("select 'still' as n");
  expect([await ask(last), await ask(last)]).toEqual(Array(2).fill([{ n: "still" }]));
  const now = await ask(names);
  expect(now).toContainEqual({ text: "select 'still' as n" });
  expect(now.length).toBeLessThan(PREPARED_MAX);
});

test("enters the partition in every transaction behind a pooler", async () => {
  // Simulates a pooler: another server process responds than the one reported at login.
  const connect = pg.Client.prototype.connect;
  pg.Client.prototype.connect = function (this: any, done: (error: Error | null) => void) {
    (connect as any).call(this, (error: Error | null) => {
      this.processID += 1;
      done(error);
    });
  } as typeof connect;
  const pooled = new Database({ ...world.database, poolMax: 1, onError: () => undefined });
  try {
    const ids = await pooled.read(here, async (tx) => {
      const { rows } = await sql<{ id: string }>`select id from notes order by id`.execute(tx);
      return rows.map(({ id }) => id);
    });
    expect(ids).toContain("h1");
    const left = await pooled.read(there, async (tx) => {
      const { rows } = await sql<{ n: number }>`select count(*)::int as n from notes`.execute(tx);
      return rows[0]?.n;
    });
    expect(left).toBe(1);
    await pooled.write(here, (session) => session.send(NOTE, ["h5"]));
  } finally {
    pg.Client.prototype.connect = connect;
    await pooled.close();
  }
  expect(await read(here)).toContain("h5");
});

test("replaces all connections opened before a silent one, and keeps newer ones", async () => {
  await using proxy = await Proxy.open(() => upstreamOf(world.database.app));
  const far = new Database({
    ...world.database,
    app: { ...world.database.app, host: "127.0.0.1", port: proxy.port },
    poolMax: 4,
    responseTimeoutMs: 2_000,
    onError: () => undefined,
  });
  const findPid = async (tx: Tx) =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)).rows[0]?.pid;
  const [areOpen, isReplaced] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let open = 0;
  const use = (then: (tx: Tx) => Promise<unknown>) =>
    far.read(here, async (tx) => {
      await findPid(tx);
      if ((open += 1) === 4) areOpen.resolve();
      await areOpen.promise;
      return then(tx);
    });
  const idle = [use(async () => undefined), use(async () => undefined)];
  const late = use((tx) => isReplaced.promise.then(() => findPid(tx)));
  const early = use(async (tx) => {
    proxy.weather = "lost";
    proxy.weather = "calm";
    return findPid(tx);
  });
  await Promise.all(idle);
  await expect(early).rejects.toThrow(/did not respond in time/);
  // Idle connections are replaced without delay for any request.
  const opened = await Promise.all([far.read(here, findPid), far.read(here, findPid)]);
  isReplaced.resolve();
  await expect(late).rejects.toThrow(/did not respond in time/);
  expect(opened).toContain(await far.read(here, findPid));
  await far.close();
});
