import { type Commands, connect } from "../command.ts";
import { describeProof, readProof, refuteProof } from "../proof.ts";

/** Commands for proofs of events. */
export const auditCommands: Commands = {
  "audit proof": {
    words: ["EVENT-ID"],
    run: async (options, eventId = "") => {
      const { data } = await connect(options).audit.get_proof({ query: { eventId } });
      return { lines: [JSON.stringify(data, null, 2)], value: data, ok: true };
    },
  },
  "audit verify": {
    words: ["FILE"],
    run: async ({ key }, file = "") => {
      const proof = readProof(file);
      const fault = refuteProof(proof, key);
      const lines = fault === undefined ? describeProof(proof) : [fault];
      const ok = fault === undefined;
      return { lines, value: { ok, fault: fault ?? null }, ok };
    },
  },
};
