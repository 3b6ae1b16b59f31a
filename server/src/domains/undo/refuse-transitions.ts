import type { WriteContext } from "#kernel/contract.ts";
import { Conflict, Failure } from "#kernel/operation/failure.ts";
import { inversesByType } from "#kernel/undo/inverse.ts";
import { tellsState } from "#kernel/undo/separable.ts";

/**
 * Rejects transitions caused by an undo, such as fulfilling a request by removing its last open task, because they
 * could not be undone.
 */
export function withoutTransitions(ctx: WriteContext): WriteContext {
  const inverses = inversesByType(ctx.services.contributions);
  const assertNoTransition = (type: string, data: unknown) => {
    if (inverses.has(type) || !tellsState(data)) return;
    throw new Failure(Conflict, { detail: `would also cause ${type}, which can't be undone` });
  };
  return {
    ...ctx,
    emit: (event, resource, data, ...rest) => {
      assertNoTransition(event.type, data);
      ctx.emit(event, resource, data, ...rest);
    },
    publish: (event) => {
      assertNoTransition(event.type, event.data);
      return ctx.publish(event);
    },
  };
}
