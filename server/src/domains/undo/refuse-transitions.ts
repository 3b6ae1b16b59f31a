import type { WriteContext } from "#kernel/contract.ts";
import { Conflict, Failure } from "#kernel/operation/failure.ts";
import { inversesByType } from "#kernel/undo/inverse.ts";
import { tellsState } from "#kernel/undo/separable.ts";

/**
 * Refuses transitions that an undo would cause, such as fulfilling a request by removing its last open task: no undo
 * takes those back.
 */
export function withoutTransitions(ctx: WriteContext): WriteContext {
  const inverses = inversesByType(ctx.services.contributions);
  const assertNoTransition = (type: string, data: unknown) => {
    if (inverses.has(type) || !tellsState(data)) return;
    throw new Failure(Conflict, { detail: `would also cause ${type}, which cannot be undone` });
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
