import { compare, together } from "../compare.ts";
import type { Figure } from "../figure.ts";
import type { Target } from "../load.ts";
import { furnishOrders, TABLE } from "../orders.ts";
import { asMember, changesOf, newBulks, newRecords, readsOf } from "../request.ts";

const MANY = 1_000_000;
const BULK = 1_000;
const FILTER = encodeURIComponent(JSON.stringify({ status: "returned" }));

/** Records of a table of a million, against a single hand-written statement. */
export const records: Figure = {
  name: "records",
  async measure(rig, effort) {
    const product = await rig.startProduct(effort);
    const reference = await rig.startReference();
    const ids = await furnishOrders(rig, product, MANY);
    const headers = asMember(product.token);
    const ours = (next: () => string, status = 200): Target => ({
      port: product.port,
      status,
      next,
    });
    const bare = (next: () => string, status = 200): Target => ({
      port: reference.port,
      status,
      next,
    });
    const paths = ids.map((id) => `${TABLE}/${id}`);
    const barePaths = ids.map((id) => `/orders/${id}`);
    const contests = {
      read: [0.5, ours(readsOf(paths, headers)), bare(readsOf(barePaths))],
      list: [
        0.5,
        ours(readsOf([`${TABLE}?filter=${FILTER}&limit=50`], headers)),
        bare(readsOf(["/orders?status=returned"])),
      ],
      update: [0.4, ours(changesOf(paths, headers)), bare(changesOf(barePaths))],
      create: [0.4, ours(newRecords(TABLE, headers), 201), bare(newRecords("/orders"), 201)],
      bulk: [
        0.4,
        ours(newBulks(`${TABLE}/bulk`, BULK, headers), 201),
        bare(newBulks("/orders/bulk", BULK), 201),
      ],
    } as const;
    const measured = [];
    for (const [name, [ratioAtLeast, mine, theirs]] of Object.entries(contests)) {
      const contest = { ours: mine, reference: theirs, ratioAtLeast };
      measured.push([name, await compare(contest, effort)] as const);
    }
    const { notes, ...all } = together(Object.fromEntries(measured));
    return {
      ...all,
      notes: [`${measured.map(([name]) => name).join(", ")}; ${MANY} records`, ...notes],
    };
  },
};
