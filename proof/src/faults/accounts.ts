import { setTimeout as pause } from "node:timers/promises";
import { all, type Ask } from "./asker.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Book } from "./work.ts";

interface Event {
  readonly type: string;
  readonly requestId: string;
}
interface Run {
  readonly id: string;
  readonly status: string;
}
interface Delivery {
  readonly id: string;
  readonly status: string;
}

const SETTLED_MAX_MS = 60_000;
const LOOK_MS = 200;

/** Compares acknowledged work with the stored state: everything must exist exactly once. */
export async function settle(
  ask: Ask,
  { book, endpoint, webhook }: { book: Book; endpoint: Endpoint; webhook: string },
): Promise<{ readonly told: string; readonly wrong: readonly string[] }> {
  const wrong = [...book.wrong];
  const runs = await untilOver(
    () => all<Run>(ask, "/api/v1/runs"),
    ({ length }) => length >= book.runs.size,
    ({ status }) => status === "completed" || status === "failed" || status === "cancelled",
  );
  const deliveries = await untilOver(
    () => all<Delivery>(ask, `/api/v1/webhooks/${webhook}/deliveries`),
    ({ length }) => length >= book.published.length,
    ({ status }) => status !== "pending" && status !== "retrying",
  );
  const log = await all<Event>(ask, "/api/v1/audit");
  const orders = log.filter(({ type }) => type === "order.placed");
  wrong.push(
    ...once(
      "published",
      book.published,
      orders.map((event) => event.requestId),
    ),
  );
  const statuses = new Map(runs.map(({ id, status }) => [id, status]));
  for (const [n, id] of book.runs) {
    if (statuses.get(id) !== "completed") wrong.push(`run ${n} is ${statuses.get(id)}`);
    const keys = endpoint.asked.get(n)?.size ?? 0;
    if (keys !== 1) wrong.push(`the step of run ${n} asked under ${keys} keys`);
  }
  if (runs.length !== book.runs.size) {
    wrong.push(`${book.runs.size} runs were acknowledged and ${runs.length} are there`);
  }
  const ids = new Map(endpoint.delivered.map(({ id, key }) => [id, key]));
  wrong.push(...once("delivered", book.published, [...ids.values()]));
  const failed = deliveries.filter(({ status }) => status !== "succeeded");
  if (failed.length > 0) wrong.push(`${failed.length} deliveries did not succeed`);
  const again = endpoint.delivered.length - ids.size;
  return {
    told:
      `${book.published.length} events, ${book.runs.size} runs, ${ids.size} deliveries ` +
      `(${again} sent more than once), ${book.updated} updates: each there once`,
    wrong,
  };
}

/** Missing, duplicate and unexpected items. */
function once(what: string, wanted: readonly string[], found: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const key of found) counts.set(key, (counts.get(key) ?? 0) + 1);
  const lost = wanted.filter((key) => !counts.has(key));
  const doubled = [...counts].filter(([, count]) => count > 1);
  const known = new Set(wanted);
  const strange = [...counts.keys()].filter((key) => !known.has(key));
  return [
    ...(lost.length > 0 ? [`${lost.length} ${what} are lost: ${lost.slice(0, 3).join()}`] : []),
    ...(doubled.length > 0
      ? [`${doubled.length} ${what} came more than once: ${doubled.slice(0, 3).join()}`]
      : []),
    ...(strange.length > 0
      ? [`${strange.length} ${what} that nobody acknowledged: ${strange.slice(0, 3).join()}`]
      : []),
  ];
}

/** The list when it is complete and all its items have ended, or its state at the timeout. */
async function untilOver<T>(
  list: () => Promise<T[]>,
  complete: (items: readonly T[]) => boolean,
  over: (item: T) => boolean,
): Promise<T[]> {
  const limit = performance.now() + SETTLED_MAX_MS;
  for (;;) {
    const items = await list();
    if ((complete(items) && items.every(over)) || performance.now() > limit) return items;
    await pause(LOOK_MS);
  }
}
