/**
 * A plain resource: rows of one table that can be listed, created, read, changed and deleted. Its domain declares it
 * once; store, list, operations, events and pack content are derived from the declaration.
 */
import type { TObject } from "typebox";
import type { EventType } from "../log/event.ts";
import type { AnyDeclaration, AnyResource, Resource, ResourceDeclaration } from "./declaration.ts";
import { resourceEvents } from "./events.ts";
import { contribute } from "../extension-point.ts";
import { InversePoint } from "../undo/inverse.ts";
import { resourceInverse } from "./inverse.ts";
import { resourceList } from "./list.ts";
import { resourceOperations } from "./operations.ts";
import { resourceStore } from "./store.ts";
import { resourceDefinition, StoredDefinitionPoint } from "./stored-definition.ts";
import { toTable } from "./table.ts";
import { resourceWriter } from "./writer.ts";

export type { Item } from "./declaration.ts";

/** Declares a plain resource. `prepare` must precede `check`, whose last argument is its result, for type inference. */
export function resource<
  const Name extends string,
  S extends TObject,
  Input extends TObject,
  Change extends TObject,
  Row extends TObject = S,
  Prepared = undefined,
  E extends EventType = never,
>(
  declaration: ResourceDeclaration<Name, S, Input, Change, Row, Prepared, E>,
): Resource<Name, S, Input, Change, Row, Prepared, E> {
  // A type that widens the parameters of hooks cannot be checked here; the signature has checked them.
  const erased = declaration as unknown as AnyDeclaration;
  const table = toTable(erased);
  const store = resourceStore(table);
  const events = resourceEvents(erased);
  const parts = {
    declaration: erased,
    store,
    list: resourceList(erased.plural, table, erased.schema, erased.list),
    events,
    ...resourceWriter(erased, store, events),
  } as unknown as Omit<AnyResource, "operations">;
  const [first, ...others] = resourceOperations(parts, table.toItem);
  // These belong to the whole resource. One of its operations passes them to the domain.
  const definition = resourceDefinition(erased, table);
  const contributions = [
    contribute(InversePoint, resourceInverse(parts)),
    ...(definition ? [contribute(StoredDefinitionPoint, definition)] : []),
  ];
  const operations = first ? [{ ...first, contributions }, ...others] : [];
  return { ...parts, operations } as unknown as Resource<Name, S, Input, Change, Row, Prepared, E>;
}
