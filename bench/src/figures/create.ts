import { compare } from "../compare.ts";
import type { Figure } from "../figure.ts";
import { asMember, newNotes } from "../request.ts";

/** A note and its event in one durable transaction, against one durable INSERT. */
export const create: Figure = {
  name: "create",
  async measure(rig, effort) {
    const product = await rig.startProduct(effort);
    const reference = await rig.startReference();
    const headers = asMember(product.token);
    return compare(
      {
        ours: {
          port: product.port,
          status: 201,
          next: newNotes("/api/v1/notes", headers),
        },
        reference: { port: reference.port, status: 201, next: newNotes("/notes") },
        ratioAtLeast: 0.4,
      },
      effort,
    );
  },
};
