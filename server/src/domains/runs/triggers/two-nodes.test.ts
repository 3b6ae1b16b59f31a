import { expect, test } from "vitest";
import { startNode } from "#domains/bus/testing/node.ts";
import { tries } from "#kernel/testing/thorough.ts";
import { startWorld, until } from "#kernel/testing/world.ts";
import { deployWorkflow, trigger } from "../testing/workflows.ts";
import {
  waitUntilIdle,
  pauseTriggerReader,
  deployEventWorkflow,
  publish,
  findRuns,
} from "../testing/triggers.ts";

const EVENTS = tries(120, 240);
/** Some orders are in the first half of the events, and some in the second. */
const WAITED_FOR = [7, 57, 117];

test("two nodes start every run exactly once, resume every wait exactly once, and use a transaction per batch", async () => {
  await using world = await startWorld({ work: true });
  await using node = await startNode(world);
  await node.kernel.startWork();
  const owner = await world.member(["owner"]);
  const topic = "busy";
  const listeners = [
    await deployEventWorkflow(owner, { topic }),
    await deployEventWorkflow(owner, { topic }),
  ];
  const config = { topic, filter: { "data.n": "{{ trigger.input.n }}" } };
  const waiter = await deployWorkflow(owner, [{ id: "wait", type: "wait_for_event", config }]);
  for (const n of WAITED_FOR) await trigger(owner, waiter, { n });
  // Many events exist at the start, and more arrive while they are read.
  const release = await pauseTriggerReader(world);
  const publishAll = (from: number, to: number) =>
    Promise.all(
      Array.from({ length: to - from }, (_, n) =>
        publish(owner, topic, { type: "tick", payload: { n: from + n } }),
      ),
    );
  const ids = await publishAll(0, EVENTS / 2);
  await release();
  ids.push(...(await publishAll(EVENTS / 2, EVENTS)));
  const finished = async (id: string): Promise<any[]> =>
    (await findRuns(world, id)).filter(({ status }) => status === "completed");
  for (const id of listeners) {
    await until(async () => (await finished(id)).length >= EVENTS);
  }
  await waitUntilIdle(world);
  for (const id of listeners) {
    const started = (await findRuns(world, id)).map(({ event_id }) => event_id);
    expect(started.toSorted()).toEqual(ids.toSorted());
  }
  const heard = (await finished(waiter)).map(({ output }) => output.data.n);
  expect(heard.toSorted((a, b) => a - b)).toEqual(WAITED_FOR);
  const [{ transactions }] = await world.sql(
    `select count(distinct e.tx)::int as transactions from events e
        where e.type = 'workflow.run_started' and e.causation_id = any($1)`,
    [ids.slice(0, EVENTS / 2)],
  );
  expect(transactions).toBeLessThan(EVENTS / 10);
});
