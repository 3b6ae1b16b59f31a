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
  summary: "Get the proof that an event is in the signed log",
  description:
    "Returns the event as it is hashed, the path from its hash to the root of a Merkle tree, and the signed checkpoint with that root. `millrace audit verify FILE` verifies it without the server. If the event is not in a checkpoint yet, the response is 409 `event_not_signed`. If the event was altered, it is 409 `log_altered`.",
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
  summary: "List signed checkpoints of the log, newest first",
  description:
    "Created at least once per hour with events. Store copies outside the installation: then the log can't be rewritten without detection, not even with the signing key.",
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
    "Hashes the events of all environments again, for up to `limit` checkpoints. Returns altered and added events, the number of missing events that retention did not delete, and breaks in the chain or in a signature.",
  permission: AuditRead,
  query: object({
    after: Type.Integer({ minimum: 0, default: 0, description: "Number of a checkpoint" }),
    limit: Type.Integer({ minimum: 1, maximum: CHECKPOINTS_MAX, default: CHECKPOINTS_MAX }),
  }),
  response: item(LogVerification),
  example: { query: { after: 0, limit: 20 } },
  prepare: (platform, { query: range }, caller) => verifyLog(platform, caller, range),
  run: async (_ctx, _input, verification) => verification,
});
