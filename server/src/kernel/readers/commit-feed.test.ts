import { expect, test } from "vitest";
import { domains } from "../../app.ts";
import type { Database } from "../db/database.ts";
import { CommitFeed } from "./commit-feed.ts";
import { notes } from "../testing/notes.ts";
import { useWorld } from "../testing/world.ts";

const world = await useWorld({ domains: [...domains, notes] });
const agent = await world.member(["owner"]);

/** Starts a feed without direct notices, like in another process. */
async function elsewhere(db: Pick<Database, "system"> = world.kernel.db) {
  const news = new CommitFeed(db as Database);
  await news.catchUp();
  return news;
}
const write = async (title: string): Promise<string> => {
  const { body } = await agent("POST /api/v1/notes", { title, body: "" });
  return body.data.id;
};
const gather = (news: CommitFeed, topic: string): string[] => {
  const heard: string[] = [];
  news.subscribe([topic], ({ resourceId }) => heard.push(resourceId));
  return heard;
};

test("listeners receive only later events of the topic", async () => {
  const news = await elsewhere();
  await write("Before");
  await world.settled();
  await news.catchUp();
  const [notesHeard, othersHeard] = [gather(news, "note"), gather(news, "incident")];
  const ids = [await write("One"), await write("Two")];
  await world.settled();
  await news.catchUp();
  expect(notesHeard).toEqual(ids);
  expect(othersHeard).toEqual([]);
  await news.catchUp();
  expect(notesHeard).toEqual(ids);
});

test("an unsubscribed listener gets no further events", async () => {
  const news = await elsewhere();
  const heard: string[] = [];
  const leave = news.subscribe(["note"], ({ resourceId }) => heard.push(resourceId));
  const stays = gather(news, "note");
  leave();
  const id = await write("Left");
  await news.catchUp();
  expect(heard).toEqual([]);
  expect(stays).toContain(id);
});

test("a listener that subscribes during a read misses nothing", async () => {
  // Earlier events of other writers are not announced.
  await world.settled();
  let meanwhile = async (): Promise<void> => undefined;
  const { db } = world.kernel;
  const news = await elsewhere({
    async system(text, values) {
      await meanwhile();
      return db.system(text, values);
    },
  });
  let [heard, id]: [string[], string] = [[], ""];
  // After the read has collected its topics, and before it queries the database.
  meanwhile = async () => {
    meanwhile = async () => undefined;
    heard = gather(news, "note");
    id = await write("Meanwhile");
    await world.settled();
  };
  expect(await news.catchUp()).toBe("soon");
  await news.catchUp();
  expect(heard).toEqual([id]);
});

test("listeners that come and go do not keep the cursor from advancing", async () => {
  const { db } = world.kernel;
  let visitors = 0;
  let visit = (_topic: string): void => undefined;
  const news = await elsewhere({
    async system(text, values) {
      visit(`topic ${(visitors += 1)}`);
      return db.system(text, values);
    },
  });
  visit = (topic) => news.subscribe([topic], () => undefined)();
  const heard = gather(news, "note");
  const id = await write("Once or twice");
  await world.settled();
  for (let look = 0; look < 6; look += 1) await news.catchUp();
  expect([1, 2]).toContain(heard.filter((one) => one === id).length);
});

/** Starts a transaction with an early log position that commits on request. */
async function slowAct() {
  const partition = { workspace: world.home, environment: "production" } as const;
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const done = world.kernel.db.write(partition, async (session) => {
    await session.send(`${INSERT} values ${valuesOf("'slow'")}`, []);
    begun.resolve();
    await gate.promise;
  });
  await begun.promise;
  return async () => {
    gate.resolve();
    await done;
  };
}
const INSERT = `insert into events (epoch, topic, type, actor_id, actor_type, actor_name,
                  resource_type, resource_id, correlation_id, created_at, data)`;
const valuesOf = (id: string): string =>
  `(${world.kernel.commitFeed.epoch}, 'note', 'note.updated', 'x', 'system', 'x', 'note', ${id}, 'cor', now(), '{}')`;

test("announces an unsettled event immediately, and does not miss an earlier one that appears later", async () => {
  const news = await elsewhere();
  const heard = gather(news, "note");
  const finish = await slowAct();
  const fast = await write("Fast");
  expect(await news.catchUp()).toBe("soon");
  expect(heard).toEqual([fast]);
  await finish();
  await news.catchUp();
  expect(heard).toContain("slow");
});

test("does not miss an event that appears on an earlier page while a later page is read", async () => {
  const partition = { workspace: world.home, environment: "production" } as const;
  const { db } = world.kernel;
  let looks = 0;
  let finish = async (): Promise<void> => undefined;
  const news = await elsewhere({
    async system(text, values) {
      looks += 1;
      if (looks === 2) await finish();
      return db.system(text, values);
    },
  });
  const heard = gather(news, "note");
  finish = await slowAct();
  const many = "select v.* from generate_series(1, 10500) as n (n) cross join lateral";
  await db.write(partition, (session) =>
    session.send(
      `${INSERT} ${many} (values ${valuesOf("'many ' || n.n")}) as v`.replace(
        "'{}'",
        "'{}'::jsonb",
      ),
      [],
    ),
  );
  looks = 0;
  await news.catchUp();
  expect(looks).toBe(2);
  // An open transaction in another test can start the feed earlier, so it includes events from the tests above.
  const announced = heard.filter((id) => id.startsWith("many "));
  expect(new Set(announced).size).toBe(10_500);
  await world.settled();
  await news.catchUp();
  expect(heard).toContain("slow");
});
