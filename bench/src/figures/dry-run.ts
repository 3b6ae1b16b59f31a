import { compare } from "../compare.ts";
import type { Figure } from "../figure.ts";
import { asMember, newNotes } from "../request.ts";

const PATH = "/api/v1/notes";

/**
 * The dry run of a note's creation, against a real creation. Both titles are new, because an existing one would be
 * rejected.
 */
export const dryRun: Figure = {
  name: "dry-run",
  async measure(rig, effort) {
    const { port, token } = await rig.startProduct(effort);
    const headers = asMember(token);
    return compare(
      {
        ours: { port, status: 200, next: newNotes(`${PATH}?dryRun=true`, headers, "Tried") },
        reference: { port, status: 201, next: newNotes(PATH, headers) },
        // It costs at most 1.3 times as much.
        ratioAtLeast: 0.77,
      },
      effort,
    );
  },
};
