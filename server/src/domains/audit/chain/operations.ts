import Type from "typebox";
import { EVENT_ID_PATTERN } from "#kernel/log/event.ts";
import { query } from "#kernel/operation/operation.ts";
import { pageQuery, toPage } from "#kernel/operation/pagination.ts";
import { item, page } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { AuditRead } from "../permissions.ts";
import {
  CheckpointItem,
  EventProof,
  LogAltered,
  NotSigned,
  proveEvent,
  toCheckpointItem,
} from "./proof.ts";
import { listLatestCheckpoints } from "./store.ts";
import { LogVerification, verifyLog } from "./verification.ts";

export const getEventProof = query({
  id: "audit.get_proof",
  route: "GET /api/v1/audit/proof",
  summary: "Prove that an event stands in the log as it was signed",
  description:
    "The event as it is hashed, the way from its hash to the root of a Merkle tree, and the signed checkpoint that holds " +
    "the root. `millrace audit verify FILE` verifies it without the server. An event that no checkpoint holds yet is " +
    "answered 409 `event_not_signed`, one that was altered since 409 `log_altered`.",
  permission: AuditRead,
  query: object({ eventId: Type.String({ pattern: EVENT_ID_PATTERN }) }),
  response: item(EventProof),
  fails: [NotSigned, LogAltered],
  example: { query: { eventId: "evt_0100000000g000000000g0" } },
  run: (ctx, { query: { eventId } }) => proveEvent(ctx, eventId),
});

export const listLogCheckpoints = query({
  id: "audit.list_checkpoints",
  route: "GET /api/v1/audit/checkpoints",
  summary: "List the signed checkpoints of the log, newest first",
  description:
    "One each hour in which something happened, or more where much did. Keep them elsewhere, and nobody can write the log " +
    "anew unseen, not even with the key.",
  permission: AuditRead,
  query: object(pageQuery),
  response: page(CheckpointItem),
  example: { query: { limit: 24 } },
  async run({ tx, services }, { query: { limit, after } }) {
    const before =
      after === undefined ? undefined : Number(services.cursors.decode("checkpoints", after)[0]);
    const rows = await listLatestCheckpoints(tx, before, limit + 1);
    return toPage(rows, limit, toCheckpointItem, ({ number }) =>
      services.cursors.encode("checkpoints", [number]),
    );
  },
});

const CHECKPOINTS_MAX = 20;

export const verifyAuditLog = query({
  id: "audit.verify",
  route: "GET /api/v1/audit/verification",
  summary: "Verify the log against its checkpoints",
  description:
    "Hashes the events of all environments again, as many checkpoints as `limit` says, and names those that were altered or " +
    "added; it tells how many are gone that retention did not delete, and where the chain or a signature is broken.",
  permission: AuditRead,
  query: object({
    after: Type.Integer({ minimum: 0, default: 0, description: "The number of a checkpoint" }),
    limit: Type.Integer({ minimum: 1, maximum: CHECKPOINTS_MAX, default: CHECKPOINTS_MAX }),
  }),
  response: item(LogVerification),
  example: { query: { after: 0, limit: 20 } },
  prepare: (platform, { query: range }, caller) => verifyLog(platform, caller, range),
  run: async (_ctx, _input, verification) => verification,
});
