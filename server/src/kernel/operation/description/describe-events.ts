import type { TSchema } from "typebox";
import type { Domain } from "../../contract.ts";
import type { CatalogEntry } from "../../log/event.ts";
import { inversesByType } from "../../undo/inverse.ts";
import { Components, type DescriptionPart, toPlainSchema } from "./components.ts";

/** The event catalog: each type with the schema of its `data`. */
export function describeEvents(domains: readonly Domain[]): CatalogEntry[] {
  return listEvents(domains, plainDataOf);
}

/** The catalog for the file in `contract/`. Every schema with a title is written once. */
export function describeEventContract(domains: readonly Domain[]): DescriptionPart {
  const components = new Components("#/$defs");
  const events = listEvents(domains, (data) => components.resolve(data));
  return { events, $defs: components.schemas };
}

function listEvents(
  domains: readonly Domain[],
  describeData: (data: TSchema) => DescriptionPart,
): CatalogEntry[] {
  const contributions = domains.flatMap((domain) => domain.contributions ?? []);
  const inverses = inversesByType(contributions);
  const isUndoable = (type: string) => (inverses.get(type)?.effect ?? "companion") !== "companion";
  return domains
    .flatMap(({ events }) => events)
    .toSorted((a, b) => (a.type < b.type ? -1 : 1))
    .map(({ type, resource, summary, data }) => ({
      type,
      resource,
      summary,
      data: describeData(data),
      undoable: isUndoable(type),
    }));
}

const plainData = new WeakMap<TSchema, DescriptionPart>();

/** Cached per type, because several lists of domains in one process can share it. */
function plainDataOf(data: TSchema): DescriptionPart {
  const plain = plainData.get(data) ?? toPlainSchema(data);
  plainData.set(data, plain);
  return plain;
}
