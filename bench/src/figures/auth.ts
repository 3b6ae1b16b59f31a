import { compare } from "../compare.ts";
import type { Figure } from "../figure.ts";
import { CHEAP_TOKEN } from "../product-token.ts";
import { asMember, readsOf } from "../request.ts";

/** The same request to the same process, with a session token and with a token that is only compared. */
export const auth: Figure = {
  name: "auth",
  async measure(rig, effort) {
    const product = await rig.startProduct(effort);
    const paths = rig.noteIds.map((id) => `/api/v1/notes/${id}`);
    const read = (token: string) => ({
      port: product.port,
      status: 200,
      next: readsOf(paths, asMember(token)),
    });
    return compare(
      // At most 1.15 times the cost.
      { ours: read(product.token), reference: read(CHEAP_TOKEN), ratioAtLeast: 0.87 },
      effort,
    );
  },
};
