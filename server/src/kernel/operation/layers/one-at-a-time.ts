import type { Operation, Platform } from "../../contract.ts";
import { FairShare } from "../../work/fair-share.ts";
import { TurnTimer } from "../../work/turn-timer.ts";
import type { CallLayer } from "./call-layer.ts";

/** Of one operation, over all workspaces. */
const AT_ONCE_MAX = 4;

/** Runs a call of some operations when no other of its workspace runs; unavailable when too many wait. */
export const oneAtATime: CallLayer = (next) => {
  const takeTurn = (...[platform, op, call]: Parameters<typeof next>) =>
    findShare(platform, op).run(call.caller.workspace?.key ?? "", async () => {
      // Otherwise calls that wait for nothing would come one after the other in the same turn.
      await new TurnTimer().next();
      return next(platform, op, call);
    });
  return (platform, op, call) => (op.oneAtATime ? takeTurn : next)(platform, op, call);
};

/** The queues of each process, by operation. */
const shares = new WeakMap<Platform["db"], Map<Operation, FairShare>>();

function findShare({ db }: Platform, op: Operation): FairShare {
  const byOperation = shares.get(db) ?? new Map<Operation, FairShare>();
  shares.set(db, byOperation);
  const share = byOperation.get(op) ?? new FairShare(AT_ONCE_MAX, 1);
  byOperation.set(op, share);
  return share;
}
