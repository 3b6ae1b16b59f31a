import type { TObject } from "typebox";
import { changeEvent, event } from "../log/event.ts";
import type { AnyDeclaration, ResourceEvents } from "./declaration.ts";

export function resourceEvents({
  name,
  schema,
  eventSchema = schema,
  docs,
}: AnyDeclaration): ResourceEvents<string, TObject> {
  const noun = docs.noun.slice(0, 1).toUpperCase() + docs.noun.slice(1);
  const base = { resource: name, data: eventSchema };
  const { created, updated, deleted } = docs.events ?? {};
  return {
    created: event(`${name}.created`, { ...base, summary: created ?? `${noun} was created.` }),
    updated: changeEvent(`${name}.updated`, {
      ...base,
      summary: updated ?? `${noun} was updated.`,
    }),
    deleted: event(`${name}.deleted`, { ...base, summary: deleted ?? `${noun} was deleted.` }),
  };
}
