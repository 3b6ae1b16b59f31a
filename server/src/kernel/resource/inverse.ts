import { pickFields } from "./table.ts";
import type { AnyResource, ResourceContext, ResourceInput, Verb } from "./declaration.ts";
import type { OperationInverse } from "../undo/inverse.ts";
import type { State } from "../undo/fold-changes.ts";
import type { TObject } from "typebox";
import type { EventType } from "../log/event.ts";

type Parts = Omit<AnyResource, "operations">;

/** The inverse of a resource's events, performed by its operations. */
export function resourceInverse({ declaration, events, create }: Parts): OperationInverse {
  const { name, schema, input, prepare, permissions } = declaration;
  // True if events contain the whole resource. A credential, for example, cannot be restored from its events.
  // Resources with a custom delete have their own restore rules.
  const isWhole =
    declaration.operations?.delete !== false &&
    Object.keys(input.properties).every((field) => field in schema.properties);
  const inputOf = (state: State) =>
    Object.fromEntries(
      Object.entries(pickFields(state, input)).filter(([, value]) => value !== null),
    ) as ResourceInput<TObject, TObject>;
  return {
    resourceType: name,
    get: operationId(declaration, "get"),
    remove: operationId(declaration, "delete"),
    update: operationId(declaration, "update"),
    created: [events.created.type],
    updated: [events.updated.type],
    ...(isWhole && {
      deleted: [events.deleted.type],
      restore: {
        permission: permissions.write,
        prepare: async (platform, state, caller) =>
          prepare?.(platform, inputOf(state), caller, undefined),
        async run(ctx, state, prepared) {
          const kept = pickFields(state, KEPT);
          // An undo is in a workspace, like every operation of a resource.
          const inner = ctx as ResourceContext<EventType>;
          await create(inner, inputOf(state) as never, prepared, kept);
        },
      },
    }),
  };
}

/** Generated fields that a restored resource keeps. */
const KEPT = { properties: { id: {}, createdAt: {}, createdBy: {} } } as unknown as TObject;

/** Returns the operation id, including custom operations. The operation may not exist. */
function operationId({ plural, operations }: Parts["declaration"], verb: Verb): string {
  const override = operations?.[verb];
  return (override === false ? undefined : override?.id) ?? `${plural}.${verb}`;
}
