import type { Operation, WriteContext } from "../contract.ts";
import { performWithin } from "../operation/inner-command.ts";
import type { BulkInverse } from "./inverse.ts";

/** One direction: the event type and the operation. */
interface Way {
  readonly event: string;
  readonly operation: Operation;
}

interface SwitchedThing {
  readonly id: string;
  readonly revision: number;
  readonly isOn: boolean;
}

/** The inverse of a field that two operations turn on and off, with the resource id as their only input. */
export function switchInverse(
  about: Pick<BulkInverse, "resourceType" | "permission"> & {
    readonly field: string;
    readonly on: Way;
    readonly off: Way;
    /** Locks a resource. Throws if it does not exist. */
    readonly lock: (ctx: WriteContext, id: string) => Promise<SwitchedThing>;
  },
): BulkInverse {
  const { resourceType, permission, field, on, off, lock } = about;
  return {
    resourceType,
    updated: [on.event, off.event],
    permission,
    oneByOne: true,
    changeOf: ({ type }) => ({
      before: { [field]: type === off.event },
      after: { [field]: type === on.event },
    }),
    groupOf: () => "",
    async lock(ctx, _, ids) {
      const things: SwitchedThing[] = [];
      for (const id of ids.toSorted()) things.push(await lock(ctx, id));
      return {
        states: new Map(things.map(({ id, isOn }) => [id, { [field]: isOn }])),
        fields: new Set([field]),
        revisions: new Map(things.map(({ id, revision }) => [id, revision])),
      };
    },
    async write(ctx, _, reversals) {
      for (const { id, target } of reversals) {
        const { operation } = target?.[field] === true ? on : off;
        const input = { params: { id }, ...(operation.body && { body: {} }) };
        await performWithin(ctx, operation, input);
      }
    },
  };
}
