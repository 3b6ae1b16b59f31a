import { compare } from "../compare.ts";
import type { Figure } from "../figure.ts";
import { asMember, readsOf } from "../request.ts";

/** One note by id with a session token, against one prepared SELECT. */
export const read: Figure = {
  name: "read",
  async measure(rig, effort) {
    const product = await rig.startProduct(effort);
    const reference = await rig.startReference();
    const headers = asMember(product.token);
    return compare(
      {
        ours: {
          port: product.port,
          status: 200,
          next: readsOf(
            rig.noteIds.map((id) => `/api/v1/notes/${id}`),
            headers,
          ),
        },
        reference: {
          port: reference.port,
          status: 200,
          next: readsOf(rig.noteIds.map((id) => `/notes/${id}`)),
        },
        ratioAtLeast: 0.5,
      },
      effort,
    );
  },
};
