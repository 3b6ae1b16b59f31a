import { compare } from "../compare.ts";
import type { Figure } from "../figure.ts";
import { furnishOrders, TABLE } from "../orders.ts";
import { asMember, readsOf } from "../request.ts";

const MANY = 1_000_000;
const LIMIT = 200;

/** The last page of a million records, against the first. */
export const pages: Figure = {
  name: "pages",
  async measure(rig, effort) {
    const product = await rig.startProduct(effort);
    await furnishOrders(rig, product, MANY);
    const headers = asMember(product.token);
    const first = `${TABLE}?sort=createdAt&limit=${LIMIT}`;
    const last = `${first}&after=${await lastCursor(product.port, first, headers)}`;
    const target = (path: string) => ({
      port: product.port,
      status: 200,
      next: readsOf([path], headers),
    });
    return compare({ ours: target(last), reference: target(first), ratioAtLeast: 0.8 }, effort);
  },
};

/** Reads to the end page by page, like a client. */
async function lastCursor(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  let cursor = "";
  for (let page = 1; page < MANY / LIMIT; page += 1) {
    const after = cursor === "" ? "" : `&after=${cursor}`;
    const answer = await fetch(`http://127.0.0.1:${port}${path}${after}`, { headers });
    const { pagination } = (await answer.json()) as { pagination: { nextCursor: string } };
    cursor = encodeURIComponent(pagination.nextCursor);
  }
  return cursor;
}
