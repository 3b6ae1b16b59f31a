import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { LOOPBACK } from "../endpoint.ts";
import type { Figure } from "../figure.ts";
import { nowMs } from "../statistics.ts";
import { deploy } from "../workflow.ts";

const FEEDS = 8;
/** Together with the existing item, the maximum that one poll of a feed reads. */
const ITEMS = 499;
const TARGET_PER_SECOND = 500;
const LOOK_MS = 20;
const LIMIT_MS = 180_000;
const ENDED = "select count(*)::int as n from runs where status = 'completed'";

/** Feed items, each of which starts a run: from the first poll that finds them to the end of the last run. */
export const polledItems: Figure = {
  name: "polled-items",
  async measure(rig, effort) {
    const product = await rig.startProduct({
      ...effort,
      env: { MILLRACE_OUTBOUND_ALLOW: LOOPBACK },
    });
    const feeds = await startFeeds();
    for (let feed = 0; feed < FEEDS; feed += 1) {
      await deploy(product, {
        name: `Feed ${feed}`,
        trigger: { type: "rss", feedUrl: `${feeds.url}/${feed}`, everyMs: 10_000 },
        nodes: [{ id: "note", type: "set", config: { values: { seen: true } } }],
        edges: [],
      });
    }
    // The first poll only records existing items. The second poll comes after that.
    await until(async () => feeds.looksAtEach() >= 2);
    feeds.publish();
    const count = async (): Promise<number> => Number((await rig.query(ENDED))[0]?.["n"]);
    await until(async () => feeds.foundAtMs() !== undefined);
    const beganAtMs = feeds.foundAtMs() ?? nowMs();
    await until(async () => (await count()) >= FEEDS * ITEMS);
    const rate = (FEEDS * ITEMS) / ((nowMs() - beganAtMs) / 1_000);
    // Two more polls find no new items.
    const looks = feeds.looksAtEach();
    await until(async () => feeds.looksAtEach() >= looks + 2);
    const runs = await count();
    feeds.close();
    return {
      ours: `${rate.toFixed(0)}/s`,
      target: `≥ ${TARGET_PER_SECOND}/s`,
      reached: rate >= TARGET_PER_SECOND && runs === FEEDS * ITEMS,
      notes: [`${FEEDS} feeds of ${ITEMS} items, ${runs} runs`],
      values: { rate, runs },
    };
  },
};

async function startFeeds() {
  const looks = new Map<string, number>();
  let items = 1;
  let found: number | undefined;
  const server = createServer((request, response) => {
    const { url = "" } = request;
    looks.set(url, (looks.get(url) ?? 0) + 1);
    if (items > 1) found ??= nowMs();
    const list = Array.from(
      { length: items },
      (_, n) => `<item><guid>${url}/${n}</guid><title>${n}</title></item>`,
    );
    response.writeHead(200, { "content-type": "application/rss+xml" });
    response.end(
      `<?xml version="1.0"?><rss version="2.0"><channel><title>Items</title>${list.join("")}</channel></rss>`,
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The lowest number of polls of any feed. */
    looksAtEach: (): number => (looks.size < FEEDS ? 0 : Math.min(...looks.values())),
    publish: (): void => void (items += ITEMS),
    foundAtMs: (): number | undefined => found,
    close: (): void => void server.close(),
  };
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const end = nowMs() + LIMIT_MS;
  while (!(await condition())) {
    if (nowMs() > end) throw new Error("The feeds were not read to their end.");
    await pause(LOOK_MS);
  }
}
