import type { Operation, Platform } from "../../contract.ts";
import { FairShare } from "../../work/fair-share.ts";
import { TurnTimer } from "../../work/turn-timer.ts";
import type { CallLayer } from "./call-layer.ts";

/** Per operation, for all workspaces together. */
const AT_ONCE_MAX = 4;

/** Runs at most one call per workspace for some operations. Responds unavailable if too many wait. */
export const oneAtATime: CallLayer = (next) => {
  const takeTurn = (...[platform, op, call]: Parameters<typeof next>) =>
    findShare(platform, op).run(call.caller.workspace?.key ?? "", async () => {
      // Otherwise calls that do not wait for I/O would run consecutively in one event loop turn.
      await new TurnTimer().next();
      return next(platform, op, call);
    });
  return (platform, op, call) => (op.oneAtATime ? takeTurn : next)(platform, op, call);
};

/** The queues of each process by operation. */
const shares = new WeakMap<Platform["db"], Map<Operation, FairShare>>();

function findShare({ db }: Platform, op: Operation): FairShare {
  const byOperation = shares.get(db) ?? new Map<Operation, FairShare>();
  shares.set(db, byOperation);
  const share = byOperation.get(op) ?? new FairShare(AT_ONCE_MAX, 1);
  byOperation.set(op, share);
  return share;
}
